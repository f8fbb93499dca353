import type { OpenTarget } from './target.js';

/** Everything that is fuzzed, by the name that people type; loaded and opened when asked for. */
export const TARGETS: Readonly<Record<string, () => Promise<OpenTarget>>> = {
  config: async () => (await import('./targets/config.js')).openConfigTarget(),
  markdown: async () => (await import('./targets/markdown.js')).openMarkdownTarget(),
  queries: async () => (await import('./targets/queries.js')).openQueriesTarget(),
  transcripts: async () => (await import('./targets/transcripts.js')).openTranscriptsTarget(),
  vendors: async () => (await import('./targets/vendors.js')).openVendorsTarget(),
  chat: async () => (await import('./targets/chat.js')).openChatTarget(),
  mcp: async () => (await import('./targets/mcp.js')).openMcpTarget(),
  webhooks: async () => (await import('./targets/webhooks.js')).openWebhooksTarget(),
};
