/**
 * With what status the built-in service ends where it cannot start: what `Refusal` of the service says about the reason.
 * That of damaged data is EX_DATAERR of sysexits.h, which Node uses for nothing of its own.
 */
export const serviceExit = { other: 1, arguments: 2, damaged: 65 } as const
