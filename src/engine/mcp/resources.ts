import {
  type ListResourcesResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ListedDocument } from '../memory/inspect/recent.js';
import { iso } from '../support/time.js';
import { admission, failureOf, failureText, type McpContext, withAudit } from './mcp-context.js';

type TextKind = Exclude<ListedDocument['kind'], 'media'>;

/** Of what is read: the text of an extracted document. */
const MIME_TYPES: Readonly<Record<TextKind, string>> = {
  markdown: 'text/markdown',
  text: 'text/plain',
  extracted: 'text/plain',
  transcript: 'text/plain',
};

const TEMPLATE = {
  name: 'memory file',
  title: 'Memory file',
  uriTemplate: 'memory://workspace/{+path}{?from}',
  description:
    'A file of memory, by path. Long files are returned in parts; each part gives the line to continue from.',
} as const;

/**
 * Offers the indexed files. Not with the SDK's registry: files change all the time, and there are
 * too many for one page.
 */
export function registerResources({ server }: McpServer, context: McpContext): void {
  server.setRequestHandler('resources/list', ({ params }, call) =>
    answerCall(call, context, 'resources/list', (signal) =>
      listFiles(context, params?.cursor, signal),
    ),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler('resources/read', ({ params }, call) =>
    answerCall(call, context, 'resources/read', (signal) => readFile(context, params.uri, signal)),
  );
}

async function listFiles(
  { memory: live, session }: McpContext,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const { agent, backend } = await live.opened();
  if (admission(agent.scope, session) !== undefined) return { resources: [] };
  const documents = (await backend.list({ signal, onEvent: live.emitSync })).filter(isText);
  const page = pageOf(documents, ({ path }) => path, cursor);
  if (page === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'invalid cursor');
  }
  const { items, nextCursor } = page;
  return { resources: items.map(resourceOf), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

type TextDocument = ListedDocument & { readonly kind: TextKind };

/** Media can be found but have no lines to read. */
function isText(document: ListedDocument): document is TextDocument {
  return document.kind !== 'media';
}

function resourceOf({ path, kind, size, modifiedMs }: TextDocument) {
  return {
    uri: resourceUri(path),
    name: path,
    mimeType: MIME_TYPES[kind],
    size,
    annotations: { lastModified: iso(modifiedMs) },
  };
}

async function readFile(
  { memory: live, session }: McpContext,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const { agent, backend } = await live.opened();
  const refusal = admission(agent.scope, session);
  if (refusal !== undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusal.message);
  }
  const part = resourcePart(uri);
  const document = (await backend.list({ signal, onEvent: live.emitSync })).find(
    (listed) => listed.path === part?.path,
  );
  if (part === undefined || document === undefined || !isText(document)) {
    throw new ResourceNotFoundError(uri);
  }
  const { path, kind } = document;
  // The backend limits what it returns, so a long conversation is read in parts.
  const request = { target: path, from: part.from, lines: ALL_LINES };
  const { text, endLine, totalLines } = await backend.get(request, { signal });
  const next = `${resourceUri(path)}?from=${endLine + 1}`;
  const rest =
    endLine < totalLines
      ? `\n\n[lines ${part.from}-${endLine} of ${totalLines}; continue with ${next}]`
      : '';
  return { contents: [{ uri, mimeType: MIME_TYPES[kind], text: text + rest }] };
}

const ALL_LINES = 1_000_000_000;

/** Runs one call; its errors are those of the protocol. */
function answerCall<T>(
  call: ServerContext,
  context: McpContext,
  method: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withAudit(context, method, call, async () => {
    try {
      return { result: await run(call.mcpReq.signal), outcome: 'ok' };
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const failure = failureOf(error, context, call.mcpReq.signal);
      const { InvalidParams, InternalError } = ProtocolErrorCode;
      const code = failure.code === 'RANGE_INVALID' ? InvalidParams : InternalError;
      throw new ProtocolError(code, failureText(failure));
    }
  });
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** Some clients show a whole page at once. */
export const PAGE_SIZE = 500;

/**
 * Returns a page of a list sorted by name. The cursor is the last name, so that changes between two
 * pages do not skip items.
 *
 * @returns undefined for an invalid cursor
 */
export function pageOf<T>(
  sorted: readonly T[],
  nameOf: (item: T) => string,
  cursor: string | undefined,
): Page<T> | undefined {
  const after = cursor === undefined ? '' : nameIn(cursor);
  if (after === undefined) return undefined;
  const begin = cursor === undefined ? 0 : sorted.findIndex((item) => nameOf(item) > after);
  if (begin === -1) return { items: [] };
  const items = sorted.slice(begin, begin + PAGE_SIZE);
  const last = items.at(-1);
  if (last === undefined || begin + PAGE_SIZE >= sorted.length) return { items };
  return { items, nextCursor: Buffer.from(`after:${nameOf(last)}`).toString('base64url') };
}

function nameIn(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith('after:') ? text.slice('after:'.length) : undefined;
}

/** The URI of an indexed file. Leading `..` become a word (`up2`), since URI parsers resolve them. */
export function resourceUri(path: string): string {
  if (path.startsWith('/') || /^[a-z]:/iu.test(path)) return `memory://absolute/${encoded(path)}`;
  const ups = /^(?:\.\.\/)+/u.exec(path)?.[0].length ?? 0;
  if (ups === 0) return `memory://workspace/${encoded(path)}`;
  return `memory://up${ups / UP.length}/${encoded(path.slice(ups))}`;
}

const UP = '../';
const FORM =
  /^memory:\/\/(?<base>workspace|absolute|up(?<ups>[1-9]\d{0,2}))\/(?<rest>[^?]+)(?:\?from=(?<from>[1-9]\d{0,14}))?$/u;

/** The inverse of {@link resourceUri}, with the line to start from; undefined for other URIs. */
export function resourcePart(uri: string) {
  const groups = FORM.exec(uri)?.groups;
  const rest = groups?.['rest'];
  if (groups === undefined || rest === undefined) return undefined;
  try {
    const path = UP.repeat(Number(groups['ups'] ?? 0)) + decodeURIComponent(rest);
    return { path, from: Number(groups['from'] ?? 1) };
  } catch {
    return undefined;
  }
}

/** Keeps slashes, so that the URI is readable; a leading one would be lost. */
function encoded(path: string): string {
  // Windows allows lone surrogates in names.
  const [first = '', ...rest] = path.replaceAll(/\p{Surrogate}/gu, '\uFFFD').split('/');
  return first === '' && rest.length > 0
    ? `%2F${rest.map(encodeURIComponent).join('/')}`
    : [first, ...rest].map(encodeURIComponent).join('/');
}
