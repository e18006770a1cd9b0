/**
 * Runs inside the sandbox, before the script of the agent, and keeps the built-ins that it needs as they were: whatever
 * the script does to Array, JSON or Object.prototype cannot change how its results are read. Getters, proxies and
 * conversions of the script may run here, but under its limits. An answer is text: "ok", or a code, a
 * line of stack and a sentence; of printable ASCII only, whatever the script returned or threw.
 */
export const driver = (promptLength: number): string => `(function () {
'use strict';
const { isArray } = Array;
const { apply } = Reflect;
const { parse } = JSON;
const { charCodeAt, slice } = String.prototype;
const absent = (name, remedy) => function () { throw new Error(name + ' is not there: ' + remedy); };
Math.random = absent('Math.random', 'use the rng that prompts is given, so that a seed gives the same prompts again');
globalThis.Date = absent('Date', 'a job must not depend on when it runs');

const codeAt = (text, at) => apply(charCodeAt, text, [at]);
const cut = (text, most) => (text.length > most ? apply(slice, text, [0, most]) + '...' : text);
const plain = (text) => {
  let clean = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = codeAt(text, at);
    clean += code === 10 ? ' ' : code < 32 || code > 126 ? '?' : text[at];
  }
  return clean;
};
const show = (value) => {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number') return '' + value;
  if (typeof value === 'string') return '"' + plain(cut(value, 40)) + '"';
  if (typeof value === 'object') return isArray(value) ? 'an array' : 'an object';
  return typeof value === 'bigint' ? 'a BigInt' : 'a ' + typeof value;
};
const bad = (code, sentence, stack) => code + '\\n' + plain(cut(stack || '', 2000)) + '\\n' + plain(cut(sentence, 400));
const text = (value) => (typeof value === 'string' ? value : '');
const starts = (whole, part) => apply(slice, whole, [0, part.length]) === part;
const threw = (error) => {
  if (typeof error !== 'object' || error === null) return bad('environment/threw', 'it threw ' + show(error));
  const name = text(error.name), message = text(error.message), stack = text(error.stack);
  if (starts(message, 'out of memory') || message === 'string too long') return bad('environment/memory', message, stack);
  if (message === 'stack overflow') return bad('environment/stack', message, stack);
  return bad('environment/threw', name + ': ' + message, stack);
};
const guarded = (act) => {
  try { return act(); } catch (error) {
    try { return threw(error); } catch { return bad('environment/threw', 'an error that cannot be read'); }
  }
};

/* sfc32: Chris Doty-Humphrey, PractRand */
const stream = (seed) => {
  let a = seed | 0, b = (seed / 4294967296) | 0, c = 0x9e3779b9 | 0, counter = 1;
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let round = 0; round < 15; round += 1) next();
  return next;
};

const malformed = (sentence) => bad('environment/prompts-malformed', sentence);
const readable = (prompt, at) => {
  const which = 'prompt ' + at + ' is ' + show(prompt);
  if (typeof prompt !== 'string') return malformed(which + ': every prompt must be a string');
  if (prompt.length < 1 || prompt.length > ${promptLength})
    return malformed(which + ', ' + prompt.length + ' characters long: a prompt has 1 to ${promptLength}');
  for (let i = 0; i < prompt.length; i += 1)
    if (codeAt(prompt, i) < 32 || codeAt(prompt, i) > 126)
      return malformed(which + ', whose character ' + i + ' is number ' + codeAt(prompt, i) + ': use printable ASCII only');
  return '';
};
const prompts = (make, seed, n) => guarded(() => {
  const made = make(stream(seed), n);
  if (!isArray(made)) return malformed('prompts returned ' + show(made) + ': return an array of n strings');
  const { length } = made;
  if (length !== n) return malformed('prompts(rng, ' + n + ') returned an array of ' + show(length) + ': return exactly n strings');
  let all = 'ok';
  for (let at = 0; at < n; at += 1) {
    const prompt = made[at];
    const wrong = readable(prompt, at);
    if (wrong) return wrong;
    all += '\\n' + prompt;
  }
  return all;
});
const worth = (reward, prompt, completion) => {
  const value = reward(prompt, completion);
  const said = 'reward(' + show(prompt) + ', ' + show(completion) + ') returned ' + show(value);
  if (typeof value !== 'number' || value !== value)
    return bad('environment/reward-not-a-number', said + ': return a number from 0 to 1, and not from an async function');
  if (value < 0 || value > 1) return bad('environment/reward-out-of-range', said + ': return a number from 0 to 1');
  return '\\n' + value;
};
const rewards = (reward, json) => guarded(() => {
  const given = parse(json);
  let all = 'ok';
  for (let at = 0; at < given.prompts.length; at += 1) {
    const one = worth(reward, given.prompts[at], given.completions[at]);
    if (one[0] !== '\\n') return one;
    all += one;
  }
  return all;
});
return { prompts, rewards, threw: (error) => guarded(() => { throw error; }) };
})()`;
