import { constants } from 'node:os';

/**
 * Waits for SIGINT or SIGTERM; a second one ends the process at once with the code that shells expect (128 + number).
 * SIGHUP asks for the configuration to be read again.
 */
export function untilStopped(onHangUp: () => void): Promise<NodeJS.Signals> {
  process.on('SIGHUP', onHangUp);
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(128 + constants.signals[signal]);
      isStopping = true;
      resolve(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
