/** Waits for work at most so many milliseconds; throws an error that names the work when that is over. */
export async function withinTime<T>(ms: number, what: string, work: Promise<T> | undefined): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work as Promise<T>, late]);
  } finally {
    clearTimeout(timer);
  }
}
