/** What is sent to a model, in the words of the chat completions API. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      /** What it thought: templates repeat it between calls of tools, and some servers insist on it. Names differ. */
      readonly reasoning?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: {
        readonly id: string;
        readonly type: 'function';
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    };
