/**
 * Who speaks on the bus. Each role has a login of its own; `deploy/nats/roles.ts` derives its grants from this table
 * and the route.
 */
export const services = ['conductor', 'agent', 'pool', 'pod', 'evaluator', 'learner'] as const;
export type Service = (typeof services)[number];

export const people = ['operator', 'viewer'] as const;
export type Role = Service | (typeof people)[number];

/** The two server accounts that own storage. Only the evaluator can reach what is stored in `eval`. */
export type Account = 'core' | 'eval';

interface Traits {
  /** The account that keeps this service's mail, state, timers and parked messages. */
  readonly home: Account;
  /** Single-active: one process works, holding a lease with a fencing epoch; the others stand by. */
  readonly single: boolean;
  /**
   * Number of places (`p1`, `p2`, …) that its acts are addressed to, each served by one process. 0: any process takes
   * an act.
   */
  readonly places: number;
}

export const traits: Readonly<Record<Service, Traits>> = {
  conductor: { home: 'core', single: false, places: 0 },
  agent: { home: 'core', single: false, places: 0 },
  pool: { home: 'core', single: true, places: 0 },
  pod: { home: 'core', single: false, places: 16 },
  evaluator: { home: 'eval', single: false, places: 0 },
  learner: { home: 'core', single: true, places: 0 },
};

/** `p1`, `p2`, …; none if any process of the service takes an act. */
export const placesOf = (service: Service): string[] =>
  Array.from({ length: traits[service].places }, (_, at) => `p${at + 1}`);

export const isService = (role: string): role is Service => Object.hasOwn(traits, role);
