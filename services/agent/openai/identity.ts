import { type Place, unfit } from './fault.ts';

/**
 * Throws if another model answered. A name may stand for a dated one ("m" for "m-2026-01-01") or be a path whose end is
 * the name; that of an adapter must be exact, because it names a version.
 */
export function modelFits(
  place: Place,
  { asked, answered, exact = false }: { asked: string; answered: string; exact?: boolean },
): void {
  const last = (name: string): string | undefined => name.split('/').at(-1);
  const alike = !exact && (answered.startsWith(`${asked}-`) || last(answered) === last(asked));
  if (answered === asked || alike) return;
  throw unfit(place, `"${asked}" was asked, but ${JSON.stringify(answered)} answered: name the model as /models does`);
}
