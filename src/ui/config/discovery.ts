import type { Discovery, SearchedPlace } from '../../engine/config/index.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

const REASONS: Readonly<Record<SearchedPlace['origin'], string>> = {
  flag: 'named by --config',
  environment: 'named by SVC_CONFIG',
  nearest: 'the nearest svc.json, upward from the current folder',
  user: 'your own configuration',
};

/** The file that counts and why, then every place that was looked at, in order. */
export function renderDiscovery(discovery: Discovery, style: Style): string {
  const { file, origin, searched } = discovery;
  const head =
    file === undefined || origin === undefined
      ? 'no configuration file: the defaults hold'
      : `${safeLine(file)}  ${style.dim(`(${REASONS[origin]})`)}`;
  const places = searched.map(
    (place) => `  ${place.found ? 'found    ' : 'not there'}  ${safeLine(place.file)}`,
  );
  return [head, '', 'looked at, in this order:', ...places, ''].join('\n');
}
