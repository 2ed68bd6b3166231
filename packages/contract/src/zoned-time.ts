/** Times as the clocks of a named zone show them. */
import Type from 'typebox';

/** Longer than any name in use. */
const MAX_ZONE_LENGTH = 64;

export function timeZoneField() {
  return Type.String({
    ...{ minLength: 1, maxLength: MAX_ZONE_LENGTH },
    ...{ description: 'IANA name of the zone that the window is meant in.', examples: ['Asia/Shanghai'] },
  });
}

export function zonedTimeField(description: string) {
  return Type.String({ maxLength: 32, description, examples: ['2026-11-11T10:00:00+08:00'] });
}
