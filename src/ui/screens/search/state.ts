import type { SearchResponse, SearchResult } from '../../../engine/memory/search/index.js';
import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
} from '../../components/line-editor.js';

/** Lines of a document around a passage, as they are in the file now. */
export interface PassageText {
  /** 1-based number of the first line of `text`. */
  readonly startLine: number;
  readonly text: string;
  /** The number of each line, if they are not consecutive. */
  readonly lineNumbers?: readonly number[];
}

/** An error with a hint. */
export interface Trouble {
  readonly message: string;
  readonly hint?: string;
}

/** The passage below the list. */
export type Preview =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'ready'; readonly passage: PassageText }
  | { readonly state: 'failed'; readonly trouble: Trouble };

/** The state of the search screen. */
export interface SearchScreenModel {
  readonly input: EditedLine;
  /** Whether letters are typed into the input or act on the list. */
  readonly focus: 'input' | 'list';
  readonly help: boolean;
  /** The last results, kept until the next ones arrive, so that nothing flickers. */
  readonly response: SearchResponse | undefined;
  /** Why there are no results. */
  readonly trouble: Trouble | undefined;
  /** A provider is being asked; results so far are from keyword search. */
  readonly looking: boolean;
  /** Index into the results. */
  readonly selected: number;
  readonly preview: Preview;
  /** A short notice, removed with the next key. */
  readonly notice: string | undefined;
}

/** Events of the search screen. */
export type SearchScreenEvent =
  | { readonly type: 'edited'; readonly edit: LineEdit }
  | { readonly type: 'focused'; readonly focus: 'input' | 'list' }
  | { readonly type: 'moved'; readonly by: number }
  | { readonly type: 'help'; readonly shown: boolean }
  | { readonly type: 'cleared' }
  /** `refines`: keyword results of the same query are already shown. */
  | { readonly type: 'answered'; readonly response: SearchResponse; readonly refines: boolean }
  | { readonly type: 'meaning'; readonly looking: boolean }
  | { readonly type: 'failed'; readonly trouble: Trouble }
  | { readonly type: 'previewed'; readonly result: SearchResult; readonly preview: Preview }
  | { readonly type: 'noticed'; readonly notice: string };

/** An empty search screen. */
export const START_SEARCH_SCREEN: SearchScreenModel = {
  input: EMPTY_LINE,
  focus: 'input',
  help: false,
  response: undefined,
  trouble: undefined,
  looking: false,
  selected: 0,
  preview: { state: 'none' },
  notice: undefined,
};

/** The screen after an event; pure, and the same object if nothing changes. */
export function reduceSearchScreen(
  model: SearchScreenModel,
  event: SearchScreenEvent,
): SearchScreenModel {
  switch (event.type) {
    case 'edited':
      return edited(model, event.edit);
    case 'focused':
      return focused(model, event.focus);
    case 'moved':
      return moved(model, event.by);
    case 'help':
      return model.help === event.shown ? model : { ...model, help: event.shown };
    case 'cleared':
      return { ...model, ...NO_ANSWER, focus: 'input' };
    case 'answered':
      return answered(model, event.response, event.refines);
    case 'meaning':
      return model.looking === event.looking ? model : { ...model, looking: event.looking };
    case 'failed':
      return { ...model, ...NO_ANSWER, focus: 'input', trouble: event.trouble };
    case 'previewed':
      // Too late: another result is selected.
      return selectedResult(model) === event.result ? { ...model, preview: event.preview } : model;
    case 'noticed':
      return { ...model, notice: event.notice };
  }
}

/** The result that keys act on, if any. */
export function selectedResult(model: SearchScreenModel): SearchResult | undefined {
  return model.response?.results[model.selected];
}

/** The new index of the chosen passage; 0 if none was chosen, or it is gone. */
function samePlace(model: SearchScreenModel, { results }: SearchResponse): number {
  const chosen = model.selected === 0 ? undefined : selectedResult(model);
  if (chosen === undefined) return 0;
  const { path, origin, startLine } = chosen;
  return Math.max(
    0,
    results.findIndex(
      (result) =>
        result.path === path && result.origin === origin && result.startLine === startLine,
    ),
  );
}

const NO_ANSWER = {
  response: undefined,
  trouble: undefined,
  selected: 0,
  preview: { state: 'none' },
} as const;

function edited(model: SearchScreenModel, edit: LineEdit): SearchScreenModel {
  const input = editLine(model.input, edit);
  if (input === model.input && model.focus === 'input') return model;
  return { ...model, input, focus: 'input', notice: undefined };
}

function focused(model: SearchScreenModel, focus: 'input' | 'list'): SearchScreenModel {
  if (focus === 'list' && selectedResult(model) === undefined) return model;
  return model.focus === focus ? model : { ...model, focus, notice: undefined };
}

function moved(model: SearchScreenModel, by: number): SearchScreenModel {
  const last = (model.response?.results.length ?? 0) - 1;
  const selected = Math.max(0, Math.min(last, model.selected + by));
  if (selected === model.selected) return model;
  return { ...model, selected, preview: { state: 'loading' }, notice: undefined };
}

function answered(
  model: SearchScreenModel,
  response: SearchResponse,
  refines: boolean,
): SearchScreenModel {
  const none = response.results.length === 0;
  return {
    ...model,
    response,
    trouble: undefined,
    selected: refines ? samePlace(model, response) : 0,
    focus: none ? 'input' : model.focus,
    // The old passage is kept until the new one is read, since most edits change little.
    preview: none ? { state: 'none' } : model.preview,
  };
}
