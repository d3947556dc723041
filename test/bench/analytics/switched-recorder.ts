// A plugin for the benchmark alone: records as service-usage does, but only while it is told to.
import { Database } from '@sextant/contracts';
import { CallRecorder, definePage, definePlugin, token } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { UsageEventStore } from '../../../plugins/services/usage/src/recording/event-store.ts';
import { migrations } from '../../../plugins/services/usage/src/database/migrations.ts';
import { Recorder } from '../../../plugins/services/usage/src/recording/recorder.ts';
import type { UsageTables } from '../../../plugins/services/usage/src/database/tables.ts';

class SwitchedRecorder implements CallRecorder {
  readonly #recorder: Recorder;
  readonly #events: UsageEventStore;
  #isOn = true;

  constructor(recorder: Recorder, events: UsageEventStore) {
    this.#recorder = recorder;
    this.#events = events;
  }

  record(record: CallRecord): void {
    if (this.#isOn) this.#recorder.record(record);
  }

  /** Writes what was recorded, so that the round pays for it in which it was; answers processor time in microseconds. */
  async turn(isOn: boolean): Promise<number> {
    await this.#recorder.flush();
    await this.#recorder.flush();
    this.#isOn = isOn;
    const { user, system } = process.cpuUsage();
    return user + system;
  }

  async close(): Promise<void> {
    await this.#recorder.close();
    await this.#events.settle();
  }
}

const Switched = token<SwitchedRecorder>('switched-recorder');

const switchPage = definePage({
  name: 'recording',
  method: 'POST',
  path: '/bench/recording',
  access: { scope: 'mcp' },
  needs: { switched: Switched },
  respond: async ({ url }, { switched }) => Response.json(await switched.turn(new URL(url).searchParams.has('on'))),
});

export default definePlugin({
  name: 'service-switched-recorder',
  needs: { database: Database },
  provides: { recorder: CallRecorder, switched: Switched },
  pages: [switchPage],
  async start(_config, { database }, { log }) {
    const db = await database.open<UsageTables>({ name: 'usage', migrations, isLog: true });
    const events = new UsageEventStore(db, async () => new Map());
    const switched = new SwitchedRecorder(new Recorder({ sink: events, log }), events);
    return { recorder: { value: switched, close: () => switched.close() }, switched: { value: switched } };
  },
});
