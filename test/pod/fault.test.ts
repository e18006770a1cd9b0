import test from 'ava';
import { fault } from '../../runtime/environment/fault.ts';
import { Engine } from '../../runtime/micro/engine.ts';
import { adamw } from '../../runtime/micro/optimizer.ts';
import { faultOf, Overran } from '../../services/pod/runtimes/fault.ts';

test('what a job does wrong has a code and a sentence; what this machine does wrong has none', (t) => {
  const engine = new Engine();
  const gradient = engine.zeros(1, 8);
  engine.values(gradient).fill(Number.NaN);
  const diverged = t.throws(() => adamw(engine, engine.zeros(1, 8))(gradient, 0.1));
  t.deepEqual(faultOf(diverged), { code: 'job/diverged', detail: "the run diverged: the gradient's norm is NaN" });
  t.is(faultOf(new Overran('it was not done'))?.code, 'job/overran');
  t.deepEqual(faultOf(fault('environment/threw', 'it threw "mine"', 3)), {
    code: 'job/environment',
    detail: 'environment.js:3: it threw "mine"',
  });
  t.is(faultOf(new Error('out of disk')), null);
});
