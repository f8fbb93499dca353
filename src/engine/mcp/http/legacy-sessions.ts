import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServer,
  WebStandardStreamableHTTPServerTransport as Transport,
} from '@modelcontextprotocol/server';

export interface LegacySessionsOptions {
  readonly createServer: () => McpServer;
  readonly maxRequestBodySize: number;
  readonly onError: (error: Error) => void;
}

interface Session {
  readonly transport: Transport;
  readonly server: McpServer;
}

/**
 * More than one machine's clients. The least recently used session is dropped; its client starts a
 * new one.
 */
const MAX_SESSIONS = 64;

const SESSION_HEADER = 'mcp-session-id';

/**
 * Sessions for clients of the 2025 revisions, whose cancellations and notifications refer to
 * earlier requests. The SDK's stateless mode cannot cancel.
 */
export class LegacySessions {
  private readonly options: LegacySessionsOptions;
  /** In order of last use. */
  private readonly sessions = new Map<string, Session>();

  constructor(options: LegacySessionsOptions) {
    this.options = options;
  }

  async answer(request: Request, authInfo: AuthInfo): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return this.begin(request, authInfo);
    const session = this.sessions.get(id);
    if (session === undefined) return unknownSession();
    this.sessions.delete(id);
    this.sessions.set(id, session);
    return session.transport.handleRequest(request, { authInfo });
  }

  async close(): Promise<void> {
    const open = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(open.map(({ server }) => server.close()));
  }

  private async begin(request: Request, authInfo: AuthInfo): Promise<Response> {
    const server = this.options.createServer();
    const transport: Transport = new Transport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: this.options.maxRequestBodySize,
      onsessioninitialized: (id: string): void => this.keep(id, { server, transport }),
      onsessionclosed: (id) => this.drop(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { authInfo });
    // Not an initialization; the response is an error.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  private keep(id: string, session: Session): void {
    this.sessions.set(id, session);
    const [quietest] = this.sessions.keys();
    if (this.sessions.size > MAX_SESSIONS && quietest !== undefined) this.drop(quietest);
  }

  private drop(id: string): void {
    const session = this.sessions.get(id);
    this.sessions.delete(id);
    session?.server.close().catch(this.options.onError);
  }
}

/** 404 makes clients start a new session (streamable HTTP, 2025-06-18, "Session Management"). */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'this session has ended; start a new one' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
