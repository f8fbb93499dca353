import {
  type ListResourcesResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { ListedDocument, MemoryBackend } from '../../memory/backends/memory-backend.js';
import { failureOf, failureText } from '../failure.js';
import type { McpWorld } from '../mcp-world.js';
import { admission } from '../scope-admission.js';
import { pageOf } from './pages.js';
import { pathOfResource, resourceUri } from './resource-uri.js';

const MIME_TYPES = { markdown: 'text/markdown', transcript: 'text/plain' } as const;

const TEMPLATE = {
  name: 'memory file',
  title: 'A file of the memory',
  uriTemplate: 'memory://workspace/{+path}',
  description: 'A file that memory_search found, by its path.',
} as const;

/**
 * Offers the files that the index covers. The handlers are our own instead of the SDK's registry of
 * resources: the files change all the time, and there are too many for one page.
 */
export function registerResources({ server }: McpServer, world: McpWorld): void {
  server.setRequestHandler('resources/list', ({ params }, { mcpReq }) =>
    asProtocolError(world, () => listFiles(world, params?.cursor, mcpReq.signal)),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) =>
    asProtocolError(world, () => readFile(world, params.uri, mcpReq.signal)),
  );
}

async function listFiles(
  { memory: live, session }: McpWorld,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const { agent, backend } = await live.opened();
  if (admission(agent.scope, session) !== undefined) return { resources: [] };
  const documents = (await backend.list({ signal, onEvent: live.heardSync })).filter(isText);
  const page = pageOf(documents, ({ path }) => path, cursor);
  if (page === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this cursor was not given out here');
  }
  const { items, nextCursor } = page;
  return { resources: items.map(resourceOf), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

type TextDocument = ListedDocument & { readonly kind: keyof typeof MIME_TYPES };

/** Pictures and recordings are found and named, and have no lines to read. */
function isText(document: ListedDocument): document is TextDocument {
  return document.kind !== 'media';
}

function resourceOf({ path, kind, size, modifiedMs }: TextDocument) {
  return {
    uri: resourceUri(path),
    name: path,
    mimeType: MIME_TYPES[kind],
    size,
    annotations: { lastModified: new Date(modifiedMs).toISOString() },
  };
}

async function readFile(
  { memory: live, session }: McpWorld,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const { agent, backend } = await live.opened();
  const refusal = admission(agent.scope, session);
  if (refusal !== undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusal.message);
  }
  const path = pathOfResource(uri);
  const document = (await backend.list({ signal, onEvent: live.heardSync })).find(
    (listed) => listed.path === path,
  );
  if (document === undefined || !isText(document)) throw new ResourceNotFoundError(uri);
  const text = await wholeText(backend, document.path, signal);
  return { contents: [{ uri, mimeType: MIME_TYPES[document.kind], text }] };
}

/** Reads on until the end: the backend gives so much at a time. */
async function wholeText(
  backend: MemoryBackend,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const parts: string[] = [];
  for (let from = 1; ; ) {
    const part = await backend.get({ target: path, from, lines: ALL_LINES }, { signal });
    parts.push(part.text);
    if (part.endLine >= part.totalLines) return parts.join('\n');
    from = part.endLine + 1;
  }
}

const ALL_LINES = 1_000_000_000;

async function asProtocolError<T>(world: McpWorld, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = failureOf(error, world);
    throw new ProtocolError(ProtocolErrorCode.InternalError, failureText(failure));
  }
}
