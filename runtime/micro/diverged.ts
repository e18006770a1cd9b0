/** A training whose numbers are none any more: the fault of its knobs, not of the machine. */
export class Diverged extends Error {}
