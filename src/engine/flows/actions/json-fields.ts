import { type JsonValue, toJsonText } from '../json.js';

/** The JSON fields of an action as texts; undefined where the action says nothing. */
export interface JsonTexts {
  readonly state: string | undefined;
  readonly wait: string | undefined;
}

/** Turns them into texts before any transaction; undefined when one is nested too deeply. */
export function jsonTexts(action: {
  readonly action: string;
  readonly stateJson?: JsonValue;
  readonly waitJson?: JsonValue;
}): JsonTexts | undefined {
  const { stateJson, waitJson } = action;
  const state = stateJson === undefined ? undefined : toJsonText(stateJson);
  const wait = waitJson === undefined ? undefined : toJsonText(waitJson);
  const isWhole =
    (stateJson === undefined) === (state === undefined) &&
    (waitJson === undefined) === (wait === undefined);
  return isWhole ? { state, wait } : undefined;
}
