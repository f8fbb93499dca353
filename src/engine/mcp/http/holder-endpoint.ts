import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  isSpecType,
  type McpServer,
  WebStandardStreamableHTTPServerTransport as Transport,
} from '@modelcontextprotocol/server';
import { createServer } from '../create-server.js';
import { CLIENT, type McpContext } from '../mcp-context.js';
import type { Holder } from './gate.js';

/** Far more than a request needs. */
const MAX_BODY_BYTES = 1024 * 1024;

export type HolderEndpoint = ReturnType<typeof holderEndpoint>;

/**
 * The protocol as the holder of one token sees it. Sessions of one holder are unknown to all others,
 * and closing it ends their streams.
 */
export function holderEndpoint({ name, scopes }: Holder, context: McpContext) {
  const onError = (error: Error): void => context.log.warn(`protocol: ${error.message}`);
  const modern = createMcpHandler(() => createServer(context, false), {
    legacy: 'reject',
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: onError,
  });
  const legacy = legacySessions(() => createServer(context, true), onError);
  const unsubscribe = context.memory.onListChange(() => modern.notify.resourcesChanged());
  let isClosed = false;
  return {
    /**
     * Undefined if the endpoint was closed while the body arrived.
     *
     * @param client address of the client, for the audit log
     */
    answer: async (request: Request, client: string): Promise<Response | undefined> => {
      // The token itself is of no use to handlers.
      const extra = { [CLIENT]: client };
      const authInfo = { token: '', clientId: name, scopes: [...scopes], extra };
      const isLegacy = await isLegacyRequest(request, undefined, {
        maxRequestBodySize: MAX_BODY_BYTES,
      });
      if (isClosed) return undefined;
      return isLegacy ? legacy.answer(request, authInfo) : modern.fetch(request, { authInfo });
    },
    close: async (): Promise<void> => {
      isClosed = true;
      unsubscribe();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

interface Session {
  readonly transport: Transport;
  readonly server: McpServer;
}

/** More than one machine's clients. The least recently used session is dropped; its client starts a new one. */
const MAX_SESSIONS = 64;

const SESSION_HEADER = 'mcp-session-id';

/**
 * Sessions for clients of the 2025 revisions, whose cancellations and notifications refer to
 * earlier requests. The SDK's stateless mode cannot cancel.
 */
function legacySessions(newServer: () => McpServer, onError: (error: Error) => void) {
  /** In order of last use. */
  const sessions = new Map<string, Session>();
  const drop = (id: string): void => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.server.close().catch(onError);
  };
  const keep = (id: string, session: Session): void => {
    sessions.set(id, session);
    const [leastRecent] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && leastRecent !== undefined) drop(leastRecent);
  };
  const begin = async (request: Request, authInfo: AuthInfo): Promise<Response> => {
    const server = newServer();
    const transport: Transport = new Transport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: (id: string): void => keep(id, { server, transport }),
      onsessionclosed: drop,
    });
    await server.connect(transport);
    endCancelled(transport);
    const response = await transport.handleRequest(request, { authInfo });
    // Not an initialization; the response is an error.
    if (transport.sessionId === undefined) await server.close();
    return response;
  };
  return {
    answer: async (request: Request, authInfo: AuthInfo): Promise<Response> => {
      const id = request.headers.get(SESSION_HEADER);
      if (id === null) return begin(request, authInfo);
      const session = sessions.get(id);
      if (session === undefined) return unknownSession();
      sessions.delete(id);
      sessions.set(id, session);
      return session.transport.handleRequest(request, { authInfo });
    },
    close: async (): Promise<void> => {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all(open.map(({ server }) => server.close()));
    },
  };
}

/** Ends the response to a cancelled request, which gets no answer: otherwise, it stays open as long as the session. */
function endCancelled(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    if (!isSpecType.CancelledNotification(message)) return;
    const { requestId } = message.params;
    if (requestId !== undefined) transport.closeSSEStream(requestId);
  };
}

/** 404 makes clients start a new session (streamable HTTP, 2025-06-18, "Session Management"). */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'this session has ended; start a new one' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
