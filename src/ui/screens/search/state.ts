import type { SearchResponse, SearchResult } from '../../../engine/memory/search/types.js';
import { type EditedLine, EMPTY_LINE, editLine, type LineEdit } from './line-editor.js';

/** Lines of a document around a passage, as they stand in the file now. */
export interface PassageText {
  /** 1-based number of the first line of `text`. */
  readonly startLine: number;
  readonly text: string;
  /** The number of each line, where they do not follow each other. */
  readonly lineNumbers?: readonly number[];
}

/** A failure in words that a person can act on. */
export interface Trouble {
  readonly message: string;
  readonly hint?: string;
}

/** The passage beside the list. */
export type Preview =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'ready'; readonly passage: PassageText }
  | { readonly state: 'failed'; readonly trouble: Trouble };

/** The state of the search screen. */
export interface SearchScreenModel {
  readonly input: EditedLine;
  /** Where keys go: letters are typed into the input and act on the list. */
  readonly focus: 'input' | 'list';
  readonly help: boolean;
  /** The last answer; it stays while the next one is being found, so that nothing flickers. */
  readonly response: SearchResponse | undefined;
  /** Why there is no answer to what is typed. */
  readonly trouble: Trouble | undefined;
  /** A provider is being asked; the results are found by words so far. */
  readonly looking: boolean;
  /** Index into the results. */
  readonly selected: number;
  readonly preview: Preview;
  /** A short word about what was just done; gone with the next key. */
  readonly notice: string | undefined;
}

/** What moves the search screen on. */
export type SearchScreenEvent =
  | { readonly type: 'edited'; readonly edit: LineEdit }
  | { readonly type: 'focused'; readonly focus: 'input' | 'list' }
  | { readonly type: 'moved'; readonly by: number }
  | { readonly type: 'help'; readonly shown: boolean }
  | { readonly type: 'cleared' }
  /** `refines`: the same question was answered already, by words alone. */
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

/** The screen after an event; pure, and the same object when nothing changes. */
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
      // Late: the person has moved on to another result.
      return selectedResult(model) === event.result ? { ...model, preview: event.preview } : model;
    case 'noticed':
      return { ...model, notice: event.notice };
  }
}

/** The result that the keys act on; undefined where there is none. */
export function selectedResult(model: SearchScreenModel): SearchResult | undefined {
  return model.response?.results[model.selected];
}

/** Where the chosen passage stands now; the first when none was chosen, or it is gone. */
function samePlace(model: SearchScreenModel, { results }: SearchResponse): number {
  const chosen = model.selected === 0 ? undefined : selectedResult(model);
  if (chosen === undefined) return 0;
  const { path, startLine } = chosen;
  return Math.max(
    0,
    results.findIndex((result) => result.path === path && result.startLine === startLine),
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
    // The old passage stays until the new one is read: most edits change little.
    preview: none ? { state: 'none' } : model.preview,
  };
}
