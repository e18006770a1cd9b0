import { pino } from 'pino';

/** Lines of JSON on standard error; standard output is for what a program answers. */
export const log = pino(
  {
    level: process.env.UPLIFT_LOG_LEVEL ?? 'info',
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  },
  pino.destination({ fd: 2, sync: true }),
);
