export { LiveMemory, type McpLog } from './live-memory.js';
export {
  type DescribedSession,
  type McpWorld,
  type McpWrite,
  type McpWriting,
  sessionOf,
} from './mcp-world.js';
export type * from './output-schemas.js';
export { connectStdio } from './stdio.js';
