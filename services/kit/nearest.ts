import { closestMatch } from 'leven';

/** For the end of an error sentence: the known name that was probably meant, or all of them. */
export function nearest(name: string, known: readonly string[]): string {
  const near = closestMatch(name, [...known], { maxDistance: Math.ceil(name.length / 3) });
  return near ? `did you mean "${near}"?` : `known are ${known.join(', ')}`;
}
