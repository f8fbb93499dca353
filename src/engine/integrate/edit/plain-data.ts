import { type ConfigPath, isRecord, valueAt } from '../../config/config-path.js';

/** The data with a value at a path; objects and lists on the way are made. */
export function withValue(data: unknown, path: ConfigPath, value: unknown): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return value;
  if (typeof segment === 'number') {
    const list: readonly unknown[] = Array.isArray(data) ? data : [];
    const changed = withValue(list[segment], rest, value);
    return segment >= list.length ? [...list, changed] : list.with(segment, changed);
  }
  const object = isRecord(data) ? data : {};
  return { ...object, [segment]: withValue(object[segment], rest, value) };
}

/** The data without what stands at a path. */
export function withoutValue(data: unknown, path: ConfigPath): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return undefined;
  if (Array.isArray(data) && typeof segment === 'number') {
    if (rest.length === 0) return data.toSpliced(segment, 1);
    return data.with(segment, withoutValue(data[segment], rest));
  }
  if (!isRecord(data) || !Object.hasOwn(data, segment)) return data;
  const { [segment]: old, ...others } = data;
  return rest.length === 0 ? others : { ...data, [segment]: withoutValue(old, rest) };
}

/** The data without the objects and lists on the way to a path that hold nothing. */
export function withoutEmptied(data: unknown, path: ConfigPath): unknown {
  let result = data;
  for (let length = path.length; length > 0; length--) {
    const place = path.slice(0, length);
    if (isEmpty(valueAt(result, place))) result = withoutValue(result, place);
  }
  return result;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
