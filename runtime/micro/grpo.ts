// Group Relative Policy Optimization, as arithmetic on numbers (Shao et al. 2024, "DeepSeekMath", section 4.1).
//
// For a prompt, G completions o_1 … o_G are drawn with the policy; reward r_i compares them with each other:
//
//   A_i = (r_i - mean r) / (std r + epsilon)                                   advantages()
//   loss = - 1/G sum_i 1/|o_i| sum_t [ min(ratio A_i, clip(ratio, 0.8, 1.2) A_i) - beta KL ]
//   ratio = policy(o_it) / policy that drew o_it                               tokenLoss()
//   KL = base / policy - log(base / policy) - 1                                (equation 4, always >= 0)

/** PPO's clip range (Schulman et al. 2017, section 6.1: epsilon = 0.2 was best). */
export const CLIP = { low: 0.8, high: 1.2 } as const;

// Keeps the advantages of a group finite; small beside the spread of rewards in [0, 1].
const EPSILON = 1e-4;

/** How much better than its group each completion was, in standard deviations. All 0 if the rewards are equal. */
export function advantages(rewards: readonly number[]): number[] {
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const distances = rewards.map((reward) => reward - mean);
  const variance = distances.reduce((sum, distance) => sum + distance ** 2, 0) / rewards.length;
  // equal rewards have a mean that can differ from them by a rounding error, which must not become an advantage
  const equal = rewards.every((reward) => reward === rewards[0]);
  return distances.map((distance) => (equal ? 0 : distance / (Math.sqrt(variance) + EPSILON)));
}

/** Log-probabilities (nats) of a token: now, when it was drawn, and under the base; and its completion's advantage. */
export type Token = { logprob: number; drawn: number; base: number; advantage: number };

/** One token's loss, its slope d loss / d logprob, and its distance from the base. */
export type TokenLoss = { loss: number; slope: number; kl: number };

export function tokenLoss({ logprob, drawn, base, advantage }: Token, klCoef: number): TokenLoss {
  const ratio = Math.exp(logprob - drawn);
  const clipped = Math.min(Math.max(ratio, CLIP.low), CLIP.high);
  const gain = Math.min(ratio * advantage, clipped * advantage);
  const slope = ratio * advantage <= clipped * advantage ? ratio * advantage : 0;
  const { kl, klSlope } = divergence(logprob, base);
  return { loss: klCoef * kl - gain, slope: klCoef * klSlope - slope, kl };
}

/** The estimate of KL(policy, base) from one token drawn with the policy (Schulman's k3), and its slope. */
export function divergence(logprob: number, base: number): { kl: number; klSlope: number } {
  const distance = base - logprob;
  // expm1 keeps it >= 0 where the two agree to the last digits
  return { kl: Math.max(0, Math.expm1(distance) - distance), klSlope: -Math.expm1(distance) };
}
