import type { ReactElement } from 'react';
import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
} from '../../components/line-editor.js';
import { List, type ListColumn } from '../../components/list.js';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  listView,
  reduceList,
} from '../../components/list-state.js';
import { Rows, useStyle } from '../../components/rows.js';
import { FilterInput, TextInput } from '../../components/text-input.js';
import { fitEnd, wrapText } from '../../fit.js';
import type { Area } from '../../terminal/size.js';

/** A command of svc that can be run from here. */
export interface PaletteCommand extends ListItem {
  /** Its words: `memory search`. */
  readonly id: string;
  readonly summary: string;
  /** Its required flags and its arguments, in the order in which they are asked for. */
  readonly values: readonly PaletteValue[];
  /** Whether it has a flag for the agent, which gets the selected one. */
  readonly takesAgent: boolean;
}

/** An argument of a command, or a flag that it needs. */
export interface PaletteValue {
  readonly name: string;
  /** Undefined for an argument. */
  readonly flag: string | undefined;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The list of commands, and the value that is being typed. */
export interface PaletteState {
  readonly list: ListState<PaletteCommand>;
  /** The selected agent. */
  readonly agent: string | undefined;
  readonly pending: PendingValue | undefined;
}

interface PendingValue {
  readonly command: PaletteCommand;
  /** What was typed for the values before. */
  readonly previous: readonly string[];
  readonly line: EditedLine;
}

export function openPalette(
  commands: readonly PaletteCommand[],
  agent: string | undefined,
): PaletteState {
  const list = reduceList<PaletteCommand>(EMPTY_LIST, { type: 'replaced', items: commands });
  return { list, agent, pending: undefined };
}

/** The palette after an event of its list, the same object if nothing changes. */
export function changeCommands(
  palette: PaletteState,
  event: ListEvent<PaletteCommand>,
): PaletteState {
  const list = reduceList(palette.list, event);
  return list === palette.list ? palette : { ...palette, list };
}

/** The palette after something was typed. */
export function typeInPalette(palette: PaletteState, edit: LineEdit): PaletteState {
  const { pending } = palette;
  if (pending === undefined) return changeCommands(palette, { type: 'filtered', edit });
  return { ...palette, pending: { ...pending, line: editLine(pending.line, edit) } };
}

function pendingValue({ command, previous }: PendingValue): PaletteValue | undefined {
  return command.values[previous.length];
}

/**
 * What Enter does: ask for the next value, or run the command. A required value has to be typed; an optional one that is
 * left out ends the questions.
 */
export function afterEnter(
  state: PaletteState,
): { readonly pending: PendingValue } | { readonly argv: readonly string[] } | undefined {
  const { pending, agent } = state;
  if (pending === undefined) {
    const command = listView(state.list).selected;
    return command === undefined ? undefined : askOrRun(command, [], agent);
  }
  const { command, previous, line } = pending;
  const text = line.text.trim();
  if (text !== '') return askOrRun(command, [...previous, text], agent);
  return pendingValue(pending)?.isRequired === true
    ? undefined
    : { argv: argvOf(command, previous, agent) };
}

function askOrRun(
  command: PaletteCommand,
  previous: readonly string[],
  agent: string | undefined,
): NonNullable<ReturnType<typeof afterEnter>> {
  return previous.length < command.values.length
    ? { pending: { command, previous, line: EMPTY_LINE } }
    : { argv: argvOf(command, previous, agent) };
}

function argvOf(
  { id, values, takesAgent }: PaletteCommand,
  previous: readonly string[],
  agent: string | undefined,
): readonly string[] {
  const pairs = previous.map((text, at) => ({ text, flag: values[at]?.flag }));
  const flags = pairs.flatMap(({ text, flag }) =>
    flag === undefined ? [] : [`--${flag}=${text}`],
  );
  const args = pairs.flatMap(({ text, flag }) => (flag === undefined ? [text] : []));
  return [
    ...id.split(' '),
    ...(takesAgent && agent !== undefined ? [`--agent=${agent}`] : []),
    ...flags,
    // What is typed is a value even if it starts with a dash.
    ...(args.length === 0 ? [] : ['--', ...args]),
  ];
}

const COLUMNS: readonly ListColumn<PaletteCommand>[] = [
  { title: 'command', cell: ({ id }) => id },
  { title: '', cell: ({ summary }) => summary },
];

/** The commands that match, or the description of the value that is being typed. */
export function PaletteView({
  palette,
  dispatch,
  onEnter,
  area,
}: {
  readonly palette: PaletteState;
  readonly dispatch: (event: ListEvent<PaletteCommand>) => void;
  readonly onEnter: () => void;
  readonly area: Area;
}): ReactElement {
  const { bold, dim } = useStyle();
  const { pending, list } = palette;
  if (pending === undefined) {
    return (
      <List
        state={list}
        dispatch={dispatch}
        columns={COLUMNS}
        area={area}
        empty="no command matches"
        onOpen={onEnter}
      />
    );
  }
  const { command } = pending;
  const value = pendingValue(pending);
  const optional = value?.isRequired === true ? '' : 'Enter without a value leaves it out.';
  const lines = [
    ...[command.summary, '', value?.description ?? ''].flatMap((text) =>
      wrapText(text, area.columns),
    ),
    ...(optional === '' ? [] : [dim(fitEnd(optional, area.columns))]),
  ];
  return (
    <Rows lines={[bold(fitEnd(`svc ${command.id}`, area.columns)), ...lines].slice(0, area.rows)} />
  );
}

/** The line in which the name of a command or a value is typed. */
export function PaletteStatus({
  palette,
  area,
}: {
  readonly palette: PaletteState;
  readonly area: Area;
}): ReactElement {
  const { pending, list, agent } = palette;
  if (pending === undefined) {
    const { selected } = listView(list);
    const agentHint = selected?.takesAgent === true && agent !== undefined ? `for ${agent} · ` : '';
    return <FilterInput list={list} area={area} prompt=": " hintPrefix={agentHint} />;
  }
  const value = pendingValue(pending);
  const hint = value?.isRequired === true ? 'required' : 'optional';
  return (
    <TextInput prompt={`${value?.name ?? ''}: `} line={pending.line} hint={hint} area={area} />
  );
}
