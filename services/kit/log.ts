import { pino } from 'pino';

/** One line of JSON each, on standard error: standard output belongs to the program's answer. */
export const log = pino(
  {
    level: process.env.UPLIFT_LOG_LEVEL ?? 'info',
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  },
  pino.destination({ fd: 2, sync: true }),
);
