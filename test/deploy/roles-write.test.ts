import test from 'ava';
import { roles } from '../../deploy/nats/roles.ts';
import { changes } from '../support/break-in.ts';
import { both, strictHouse } from '../support/house.ts';
import { Judge } from '../support/judge.ts';

for (const which of both)
  test(`${which} server: no role changes anything but what the table gives it`, async (t) => {
    t.timeout(120_000);
    const house = await strictHouse(t, which);
    const judge = await Judge.sit(t, house);
    for (const role of roles) t.deepEqual(await changes({ t, house, judge }, role), [], role);
  });
