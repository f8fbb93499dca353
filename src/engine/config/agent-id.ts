/** Name of an agent that the configuration has. */
export type AgentId = string & { readonly __brand: 'AgentId' };

/** The agent there is when the configuration lists none. */
export const MAIN_AGENT = 'main';

/** Brands a name taken from a valid configuration; the schema has checked its form. */
export function toAgentId(name: string): AgentId {
  return name as AgentId;
}
