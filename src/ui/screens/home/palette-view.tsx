import type { ReactElement } from 'react';
import { FilterInput } from '../../components/filter.js';
import { List, type ListColumn } from '../../components/list.js';
import { listView } from '../../components/list-state.js';
import { type Area, Rows, useTheme } from '../../components/screen.js';
import { TextInput } from '../../components/text-input.js';
import { fitEnd, wrapText } from '../../fit.js';
import {
  askedValue,
  type PaletteCommand,
  type PaletteEvent,
  type PaletteState,
} from './palette.js';

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
