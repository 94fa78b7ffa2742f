/**
 * Exit codes of the built-in service when it can't start. The service's `Refusal` explains the reasons. The code for
 * damaged data is EX_DATAERR of sysexits.h, which Node itself doesn't use.
 */
export const serviceExit = { other: 1, arguments: 2, damaged: 65 } as const
