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
import { Rows, useTheme } from '../../components/screen.js';
import { FilterInput, TextInput } from '../../components/text-input.js';
import { fitEnd, wrapText } from '../../fit.js';
import type { Area } from '../../terminal/size.js';

/** A command of svc that can be run from here. */
export interface PaletteCommand extends ListItem {
  /** Its words: `memory search`. */
  readonly id: string;
  readonly summary: string;
  /** What it takes, in this order. */
  readonly values: readonly PaletteValue[];
  /** Whether it is about one agent, and so gets the selected one. */
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

/** The list of commands, and the value that is being asked for. */
export interface PaletteState {
  readonly list: ListState<PaletteCommand>;
  /** The selected agent. */
  readonly agent: string | undefined;
  readonly asked: AskedValue | undefined;
}

interface AskedValue {
  readonly command: PaletteCommand;
  /** Of the values before. */
  readonly given: readonly string[];
  readonly line: EditedLine;
}

/** Events of the palette. */
export type PaletteEvent =
  | { readonly type: 'list'; readonly event: ListEvent<PaletteCommand> }
  | { readonly type: 'typed'; readonly edit: LineEdit }
  | { readonly type: 'asked'; readonly asked: AskedValue | undefined };

export function openPalette(
  commands: readonly PaletteCommand[],
  agent: string | undefined,
): PaletteState {
  const list = reduceList<PaletteCommand>(EMPTY_LIST, { type: 'replaced', items: commands });
  return { list, agent, asked: undefined };
}

/** The palette after an event; pure, and the same object if nothing changes. */
export function reducePalette(state: PaletteState, event: PaletteEvent): PaletteState {
  switch (event.type) {
    case 'list': {
      const list = reduceList(state.list, event.event);
      return list === state.list ? state : { ...state, list };
    }
    case 'typed': {
      const { asked } = state;
      if (asked === undefined) {
        return reducePalette(state, {
          type: 'list',
          event: { type: 'filtered', edit: event.edit },
        });
      }
      const line = editLine(asked.line, event.edit);
      return line === asked.line ? state : { ...state, asked: { ...asked, line } };
    }
    case 'asked':
      return { ...state, asked: event.asked };
  }
}

/** The value that is asked for. */
function askedValue({ command, given }: AskedValue): PaletteValue | undefined {
  return command.values[given.length];
}

/**
 * What Enter does: ask for the next value, or run the command. A required value has to be typed; an optional one that is
 * left out ends the questions.
 */
export function afterEnter(
  state: PaletteState,
): { readonly asked: AskedValue } | { readonly argv: readonly string[] } | undefined {
  const { asked, agent } = state;
  if (asked === undefined) {
    const command = listView(state.list).selected;
    return command === undefined ? undefined : next(command, [], agent);
  }
  const { command, given, line } = asked;
  const text = line.text.trim();
  if (text !== '') return next(command, [...given, text], agent);
  return askedValue(asked)?.isRequired === true
    ? undefined
    : { argv: argvOf(command, given, agent) };
}

function next(
  command: PaletteCommand,
  given: readonly string[],
  agent: string | undefined,
): NonNullable<ReturnType<typeof afterEnter>> {
  return given.length < command.values.length
    ? { asked: { command, given, line: EMPTY_LINE } }
    : { argv: argvOf(command, given, agent) };
}

function argvOf(
  { id, values, takesAgent }: PaletteCommand,
  given: readonly string[],
  agent: string | undefined,
): readonly string[] {
  const pairs = given.map((text, at) => ({ text, flag: values[at]?.flag }));
  const flags = pairs.flatMap(({ text, flag }) =>
    flag === undefined ? [] : [`--${flag}=${text}`],
  );
  const args = pairs.flatMap(({ text, flag }) => (flag === undefined ? [text] : []));
  return [
    ...id.split(' '),
    ...(takesAgent && agent !== undefined ? [`--agent=${agent}`] : []),
    ...flags,
    // What is typed is a value, also with a dash.
    ...(args.length === 0 ? [] : ['--', ...args]),
  ];
}

const COLUMNS: readonly ListColumn<PaletteCommand>[] = [
  { title: 'command', cell: ({ id }) => id },
  { title: '', cell: ({ summary }) => summary },
];

/** The commands that match, or what is known of the value that is asked for. */
export function PaletteView({
  palette,
  dispatch,
  onEnter,
  area,
}: {
  readonly palette: PaletteState;
  readonly dispatch: (event: PaletteEvent) => void;
  readonly onEnter: () => void;
  readonly area: Area;
}): ReactElement {
  const { bold, dim } = useTheme();
  const { asked, list } = palette;
  if (asked === undefined) {
    return (
      <List
        state={list}
        dispatch={(event) => dispatch({ type: 'list', event })}
        columns={COLUMNS}
        area={area}
        empty="no command matches"
        onOpen={onEnter}
      />
    );
  }
  const { command } = asked;
  const value = askedValue(asked);
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
  const { asked, list, agent } = palette;
  if (asked === undefined) {
    const { selected } = listView(list);
    const about = selected?.takesAgent === true && agent !== undefined ? `for ${agent} · ` : '';
    return <FilterInput list={list} area={area} prompt=": " about={about} />;
  }
  const value = askedValue(asked);
  const hint = value?.isRequired === true ? 'required' : 'optional';
  return <TextInput prompt={`${value?.name ?? ''}: `} line={asked.line} hint={hint} area={area} />;
}
