import type { FlowRecord, FlowStatus } from '../../../engine/flows/index.js';
import { fitEnd, padEnd, spread, textWidth } from '../../fit.js';
import { formatRelativeTime } from '../../format.js';
import { safeLine } from '../../safe-text.js';
import type { Paint, Style } from '../../style.js';
import type { WebhooksScreenState } from './state.js';

const STATUS_COLUMNS = 9;
/** Enough of an id to find it by. */
const ID_COLUMNS = 8;

/** The newest flows as they change, as many as there is room for. */
export function flowLines(
  { webhooks, nowMs }: WebhooksScreenState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const flows = webhooks?.flows ?? [];
  if (flows.length === 0 || room < 3) return [];
  const lines = flows.slice(0, room - 2).map((flow) => flowLine(flow, nowMs, style, columns));
  return ['', style.dim('flows'), ...lines];
}

function flowLine(flow: FlowRecord, nowMs: number, style: Style, columns: number): string {
  const status = padEnd(flow.status, STATUS_COLUMNS);
  const id = flow.flowId.slice(0, ID_COLUMNS);
  const ago = formatRelativeTime(flow.updatedAt, nowMs);
  const step = flow.currentStep === null ? '' : ` · ${flow.currentStep}`;
  const room = columns - STATUS_COLUMNS - ID_COLUMNS - textWidth(ago) - 6;
  const goal = fitEnd(safeLine(`${flow.goal}${step}`), Math.max(0, room));
  const plain = `${status} ${id}  ${goal}`;
  const painted = `${paintOf(flow.status, style)(status)} ${style.dim(id)}  ${goal}`;
  // Measured without its colours, which fitting must not cut.
  return textWidth(plain) > columns
    ? fitEnd(plain, columns)
    : spread(painted, style.dim(ago), columns);
}

function paintOf(status: FlowStatus, { green, red, yellow, cyan, dim }: Style): Paint {
  switch (status) {
    case 'running':
      return cyan;
    case 'waiting':
    case 'blocked':
      return yellow;
    case 'succeeded':
      return green;
    case 'failed':
    case 'lost':
      return red;
    case 'queued':
    case 'cancelled':
      return dim;
  }
}
