import type { OpenTarget } from './target.js';

/** All fuzz targets by name, loaded on demand. */
export const TARGETS: Readonly<Record<string, () => Promise<OpenTarget>>> = {
  config: async () => (await import('./targets/config.js')).openConfigTarget(),
  markdown: async () => (await import('./targets/markdown.js')).openMarkdownTarget(),
  queries: async () => (await import('./targets/queries.js')).openQueriesTarget(),
  transcripts: async () => (await import('./targets/transcripts.js')).openTranscriptsTarget(),
  exports: async () => (await import('./targets/exports.js')).openExportsTarget(),
  vendors: async () => (await import('./targets/vendors.js')).openVendorsTarget(),
  chat: async () => (await import('./targets/chat.js')).openChatTarget(),
  ext: async () => (await import('./targets/ext.js')).openExtTarget(),
  mcp: async () => (await import('./targets/mcp.js')).openMcpTarget(),
  growth: async () => (await import('./targets/growth.js')).openGrowthTarget(),
  deliveries: async () => (await import('./targets/deliveries.js')).openDeliveriesTarget(),
  webhooks: async () => (await import('./targets/webhooks.js')).openWebhooksTarget(),
};
