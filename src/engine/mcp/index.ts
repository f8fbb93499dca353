export { listenHttp } from './http/listen-http.js';
export { loadToken } from './http/token.js';
export { LiveMemory } from './live-memory.js';
export type { McpLog } from './mcp-log.js';
export { type McpWorld, sessionOf } from './mcp-world.js';
export { connectStdio } from './serve-stdio.js';
