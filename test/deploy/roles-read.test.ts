import test from 'ava';
import { roles } from '../../deploy/nats/roles.ts';
import { overhears, reads } from '../support/break-in.ts';
import { both, strictHouse } from '../support/house.ts';
import { Judge } from '../support/judge.ts';

for (const which of both)
  test(`${which} server: no role hears or reads anything but what the table gives it`, async (t) => {
    t.timeout(120_000);
    const house = await strictHouse(t, which);
    const scene = { t, house, judge: await Judge.sit(t, house) };
    for (const role of roles) {
      t.deepEqual(await overhears(scene, role), [], `${role} hears`);
      t.deepEqual(await reads(scene, role), [], `${role} reads`);
    }
  });
