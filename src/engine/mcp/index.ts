export { createLiveMemory, type LiveMemory, type McpLog } from './live-memory.js';
export {
  type DescribedSession,
  type McpContext,
  type McpWrite,
  type McpWriting,
  sessionOf,
} from './mcp-context.js';
export type * from './output-schemas.js';
export { connectStdio } from './stdio.js';
