import { Box, Text } from 'ink';
import { type ReactElement, useEffect, useMemo } from 'react';
import type { SearchMode } from '../../../engine/memory/search/index.js';
import { closing, deferred } from '../../../engine/support/async.js';
import { formatCount, formatCountOf, formatDuration } from '../../../engine/support/format.js';
import { List } from '../../components/list.js';
import { Rows, useStyle } from '../../components/rows.js';
import { Screen } from '../../components/screen.js';
import { createStore, type Store, useStore } from '../../components/store.js';
import { TextInput } from '../../components/text-input.js';
import { fitEnd, fitMiddle, padEnd, spread, textWidth, wrapSafe, wrapText } from '../../fit.js';
import { correctionNote, explanationWords, moreLikeThis } from '../../memory/search-results.js';
import { headingTrail, lineAnchor, shownDocument } from '../../memory/words.js';
import { progressText } from '../../progress-line.js';
import { safeLine } from '../../safe-text.js';
import { drawScore, type Style } from '../../style.js';
import { useMouse } from '../../terminal/input.js';
import { type RunScreenOptions, runScreen } from '../../terminal/mount-screen.js';
import type { Area } from '../../terminal/size.js';
import {
  createSearchController,
  type SearchScreenActions,
  type SearchScreenEnd,
} from './controller.js';
import { type SearchIntent, searchKeys } from './keys.js';
import { passageRows } from './passage.js';
import {
  INITIAL_SEARCH,
  previewTop,
  type ResultItem,
  reduceSearch,
  type SearchEvent,
  type SearchState,
  selectedItem,
} from './state.js';

/** Options of the search screen. */
export interface SearchScreenOptions extends RunScreenOptions {
  readonly memory: string;
  readonly actions: SearchScreenActions;
}

/** Indexing reports every file, and a new preview its layout. */
const PACED: ReadonlySet<SearchEvent['type']> = new Set(['synced', 'previewed', 'laidOut']);
const PACE = {
  everyMs: 30,
  isUrgent: ({ type }: SearchEvent) => !PACED.has(type),
};

/**
 * Shows the search screen until the user quits, or opens a result without an editor. The terminal is restored and stdin
 * released when it settles.
 */
export async function runSearchScreen(options: SearchScreenOptions): Promise<SearchScreenEnd> {
  const store = createStore(INITIAL_SEARCH, reduceSearch, PACE);
  const { promise: ended, resolve: finish } = deferred<SearchScreenEnd>();
  using controller = closing(createSearchController(store, options.actions, finish));
  const view = <SearchScreen options={options} store={store} dispatch={controller.dispatch} />;
  return await runScreen(view, options, {
    begin: controller.begin,
    ended,
    leave: () => finish({ type: 'left' }),
  });
}

/** What the search screen shows, and who handles its keys. */
interface SearchScreenProps {
  readonly options: SearchScreenOptions;
  readonly store: Store<SearchState, SearchEvent>;
  readonly dispatch: (intent: SearchIntent) => void;
}

/** From this width on, the passage is next to the list instead of below it. */
const BESIDE_COLUMNS = 106;
const LIST_SHARE = 0.45;
const LIST_SHARE_BELOW = 0.4;
const LEAST_LIST = 3;
const MOST_LIST = 12;
const GAP = 3;

/** The search screen: a pure view of the store; its keys and the mouse dispatch intents. */
function SearchScreen({ options, store, dispatch }: SearchScreenProps): ReactElement {
  const state = useStore(store);
  return (
    <Screen
      title="svc · search"
      facts={() => headerFacts(state, options)}
      keys={() => searchKeys(store.getSnapshot(), dispatch)}
      isHelpOpen={state.isHelpOpen}
      note={state.note}
    >
      {(area) => <SearchBody store={store} dispatch={dispatch} state={state} area={area} />}
    </Screen>
  );
}

const MODES: Readonly<Record<SearchMode, string>> = {
  lexical: 'keyword',
  vector: 'semantic',
  hybrid: 'hybrid',
};

function headerFacts(
  { answer }: SearchState,
  { memory, actions }: SearchScreenOptions,
): readonly string[] {
  const mode = answer?.response?.mode ?? (actions.isSemantic ? 'hybrid' : 'lexical');
  return [answer?.memory ?? memory, MODES[mode], ...(answer?.chips ?? [])].map(safeLine);
}

interface BodyProps extends Pick<SearchScreenProps, 'dispatch' | 'store'> {
  readonly state: SearchState;
  readonly area: Area;
}

/** The input, and below it the list and the passage. */
function SearchBody(props: BodyProps): ReactElement {
  const { state, area } = props;
  const isWide = area.columns >= BESIDE_COLUMNS;
  const room = Math.max(0, area.rows - 2);
  const share = Math.floor(room * LIST_SHARE_BELOW);
  const listRows = isWide ? room : Math.min(room, Math.max(LEAST_LIST, Math.min(MOST_LIST, share)));
  const listColumns = isWide ? Math.floor(area.columns * LIST_SHARE) : area.columns;
  const top = area.y + (isWide ? 2 : 1);
  const list = { x: area.x, y: top, columns: listColumns, rows: listRows };
  const preview = isWide
    ? { ...list, x: area.x + listColumns + GAP, columns: area.columns - listColumns - GAP }
    : { ...list, y: top + listRows + 1, rows: room - listRows };
  const divider = <Divider state={state} area={area} />;
  const results =
    selectedItem(state) === undefined ? (
      <EmptyMessage state={state} area={list} />
    ) : (
      <ResultList {...props} area={list} />
    );
  return (
    <Box flexDirection="column">
      <QueryInput state={state} area={area} />
      {isWide ? divider : null}
      <Box flexDirection={isWide ? 'row' : 'column'}>
        <Box width={listColumns} height={listRows} flexShrink={0} flexDirection="column">
          {results}
        </Box>
        {isWide ? null : divider}
        <Box marginLeft={isWide ? GAP : 0} height={preview.rows} flexShrink={0}>
          <PreviewPane {...props} area={preview} />
        </Box>
      </Box>
    </Box>
  );
}

const PROMPT = '› ';

function QueryInput({ state, area }: Pick<BodyProps, 'area' | 'state'>): ReactElement {
  const style = useStyle();
  const hint = inputHint(state);
  if (state.focus === 'input') {
    return <TextInput prompt={PROMPT} line={state.input} hint={hint} area={{ ...area, rows: 1 }} />;
  }
  const text = fitEnd(state.input.text, area.columns - PROMPT.length);
  return (
    <Text wrap="truncate">{spread(style.dim(PROMPT) + text, style.dim(hint), area.columns)}</Text>
  );
}

function inputHint({ answer, isFullSearchPending }: SearchState): string {
  const response = answer?.response;
  const pending = 'semantic search …';
  if (response === undefined) return isFullSearchPending ? pending : '';
  const counts = `${formatCount(response.results.length)} of ${formatCount(response.matches)}`;
  return `${counts} · ${isFullSearchPending ? pending : formatDuration(response.searchMs)}`;
}

/** A line with a warning about the results, or with the words that were corrected. */
function Divider({ state, area }: Pick<BodyProps, 'area' | 'state'>): ReactElement {
  const style = useStyle();
  const response = state.answer?.response;
  const note =
    response?.warnings[0]?.message ??
    (response === undefined ? undefined : correctionNote(response));
  const words = note === undefined ? '' : fitEnd(`─ ${safeLine(note)} `, area.columns - 2);
  const rest = '─'.repeat(Math.max(0, area.columns - textWidth(words)));
  return <Text wrap="truncate">{style.dim(words + rest)}</Text>;
}

function EmptyMessage({ state, area }: Pick<BodyProps, 'area' | 'state'>): ReactElement {
  const style = useStyle();
  const wrap = (text: string): readonly string[] => wrapSafe(text, area.columns);
  const { fault, progress } = state;
  if (fault !== undefined) {
    const hint = fault.hint === undefined ? [] : wrap(`→ ${fault.hint}`).map(style.dim);
    return <Rows lines={[...wrap(fault.message).map(style.warning), ...hint]} />;
  }
  if (progress?.found !== undefined) {
    const line = progressText(progress, { columns: area.columns, style });
    const chunks = formatCountOf(progress.chunks, 'chunk');
    return (
      <Rows
        lines={[
          line,
          style.dim(fitEnd(`${chunks} · ${safeLine(progress.current ?? '')}`, area.columns)),
        ]}
      />
    );
  }
  return <Rows lines={wrap(emptyWords(state)).map(style.dim)} />;
}

function emptyWords({ progress, input, answer }: SearchState): string {
  if (progress !== undefined) return 'Looking for notes …';
  if (input.text.trim() === '') return 'Ask your memory something.';
  if (answer === undefined) return 'searching …';
  if (answer.response === undefined) return 'Add words to search for.';
  // The divider below has its message.
  const nothing = answer.response.warnings.find(({ code }) => code === 'INDEX_EMPTY');
  return nothing?.hint === undefined
    ? 'No matches. Try fewer or different words.'
    : `→ ${nothing.hint}`;
}

function ResultList({ state, store, dispatch, area }: BodyProps): ReactElement {
  const style = useStyle();
  const results = state.list.items;
  const placeColumns = Math.min(
    Math.max(
      0,
      ...results.map(({ result }) => textWidth(shownDocument(result) + lineAnchor(result))),
    ),
    Math.floor(area.columns * (area.columns < NARROW ? NARROW_PLACE_SHARE : PLACE_SHARE)),
  );
  return (
    <List
      state={state.list}
      dispatch={(event) => {
        // Only keys and the mouse are intents.
        if (event.type === 'sized') store.dispatch({ type: 'list', event });
        else dispatch({ type: 'list', event });
      }}
      row={(item, columns, isSelected) =>
        resultRow(item, {
          columns,
          placeColumns,
          isSelected,
          isFocused: state.focus === 'list',
          style,
        })
      }
      onOpen={() => dispatch({ type: 'open' })}
      area={area}
      empty=""
    />
  );
}

const PLACE_SHARE = 0.45;
/** With less room, there are no bars, and more of the place is shown. */
const NARROW = 48;
const NARROW_PLACE_SHARE = 0.65;
const SCORE_COLUMNS = 4;

interface RowOptions {
  readonly columns: number;
  readonly placeColumns: number;
  readonly isSelected: boolean;
  readonly isFocused: boolean;
  readonly style: Style;
}

function resultRow({ result }: ResultItem, options: RowOptions): string {
  const { columns, placeColumns, isSelected, isFocused, style } = options;
  const barColumns = columns < NARROW ? 0 : columns < 68 ? 5 : 10;
  const anchor = lineAnchor(result);
  const path = fitMiddle(shownDocument(result), placeColumns - anchor.length);
  const place = padEnd(path + anchor, placeColumns);
  const score = result.score.toFixed(2).padStart(SCORE_COLUMNS);
  const bar = padEnd(drawScore(result.score, barColumns), barColumns);
  const words = [moreLikeThis(result), headingTrail(result.headingPath)].filter(Boolean);
  const room = columns - placeColumns - SCORE_COLUMNS - barColumns - 5;
  const trail = fitEnd(words.join(' · '), room);
  const selectedPaint = isFocused ? style.selection : style.bold;
  const paint = isSelected ? selectedPaint : style.plain;
  return `${paint(place)}  ${score} ${style.accent(bar)}  ${style.dim(trail)}`.trimEnd();
}

const NO_LINES = { rows: [], first: 0, matches: [] };
/** Rows that a step of the wheel scrolls. */
const WHEEL_ROWS = 3;

/** The passage in its document. */
function PreviewPane({ state, store, dispatch, area }: BodyProps): ReactElement {
  const style = useStyle();
  const { preview, match } = state;
  const head = previewHead(state, area.columns, style);
  const height = Math.max(0, area.rows - head.length);
  const { columns } = area;
  const { rows, first, matches } = useMemo(() => {
    if (preview === undefined || !('text' in preview.content)) return NO_LINES;
    const options = { columns, height, style, words: preview.words, currentMatch: match };
    return passageRows(preview.content, preview.item, options);
  }, [preview, columns, height, style, match]);
  const layout = useMemo(
    () => ({ rows: height, length: rows.length, first, matches }),
    [height, rows.length, first, matches],
  );
  useEffect(() => store.dispatch({ type: 'laidOut', layout }), [store, layout]);
  useMouse(area, ({ action }) => {
    if (action === 'wheelUp') dispatch({ type: 'scrolled', by: -WHEEL_ROWS });
    if (action === 'wheelDown') dispatch({ type: 'scrolled', by: WHEEL_ROWS });
  });
  const top = previewTop(state, layout);
  return <Rows lines={[...head, ...rows.slice(top, top + height)].slice(0, area.rows)} />;
}

/** The name of the document, then the explanation of its score and why it cannot be shown, if any. */
function previewHead(
  { preview, showsExplanation, layout, match }: SearchState,
  columns: number,
  style: Style,
): readonly string[] {
  if (preview === undefined) return [];
  const { result } = preview.item;
  const title = [shownDocument(result), headingTrail(result.headingPath)]
    .filter(Boolean)
    .join(' › ');
  const place =
    match === undefined
      ? ''
      : `match ${formatCount(match + 1)} of ${formatCount(layout.matches.length)}`;
  const room = columns - (place === '' ? 0 : place.length + 2);
  const lines = [style.dim(spread(fitEnd(`# ${title}`, room), place, columns))];
  const explanation = showsExplanation ? explanationWords(result) : undefined;
  if (explanation !== undefined) lines.push(...wrapText(explanation, columns));
  if ('message' in preview.content) {
    lines.push(style.fault(fitEnd(safeLine(preview.content.message), columns)));
  }
  return lines;
}
