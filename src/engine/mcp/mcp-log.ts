/** Where the server tells of itself: never on the protocol's stream. Must not throw. */
export interface McpLog {
  /** What is worth knowing when one asks: syncs, connections. */
  readonly info: (text: string) => void;
  /** What keeps the server from doing all it should. */
  readonly warn: (text: string) => void;
}
