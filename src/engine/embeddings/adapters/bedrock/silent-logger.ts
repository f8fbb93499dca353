const ignore = (): void => undefined;

/** For the SDK, which otherwise warns on the console; what fails is told by the errors. */
export const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
