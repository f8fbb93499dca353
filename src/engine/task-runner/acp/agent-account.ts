import type { SessionUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { progressLine } from '../words.js';

/** So much of what an agent says is kept, in characters; of more, the end. */
const MOST_CHARS = 200_000;

/** What an agent told in the course of a session: progress for people, its last words as the result. */
export class AgentAccount {
  private readonly progress: (text: string) => void;
  private readonly kinds = new Map<string, ToolKind>();
  private said = '';

  constructor(progress: (text: string) => void) {
    this.progress = progress;
  }

  /** What it said after its last use of a tool. */
  get text(): string {
    return this.said.trim();
  }

  /** The kind of a tool call that was told before. */
  kindOf(toolCallId: string): ToolKind | undefined {
    return this.kinds.get(toolCallId);
  }

  take(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (update.content.type === 'text') this.hear(update.content.text);
        break;
      case 'tool_call':
        // What comes after it is the answer; what came before led to it.
        this.said = '';
        if (update.kind !== undefined) this.kinds.set(update.toolCallId, update.kind);
        this.progress(progressLine(update.title));
        break;
      case 'tool_call_update':
        if (update.kind) this.kinds.set(update.toolCallId, update.kind);
        if (update.title) this.progress(progressLine(update.title));
        break;
      case 'plan': {
        const step = update.entries.find(({ status }) => status === 'in_progress');
        if (step !== undefined) this.progress(progressLine(step.content));
        break;
      }
      default:
        // Thoughts, modes, usage: signs of life, and nobody's business.
        break;
    }
  }

  private hear(text: string): void {
    this.said = `${this.said}${text}`.slice(-MOST_CHARS);
  }
}
