export { connectStdio } from './create-server.js';
export { listenHttp } from './http/listen-http.js';
export { loadToken } from './http/token.js';
export { LiveMemory } from './live-memory.js';
export { type GivenSession, type McpLog, type McpWorld, sessionOf } from './mcp-world.js';
export type { McpOutput } from './output-schemas.js';
