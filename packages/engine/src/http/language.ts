/** English, or Chinese for those who would rather read it. */
export type Language = 'en' | 'zh';

export const LANGUAGES: readonly Language[] = ['en', 'zh'];

/** By RFC 9110's weights; of equal ones the first. What is neither is not looked at. */
export function languageOf(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined || !/zh/i.test(acceptLanguage)) return 'en';
  let best: Language = 'en';
  let bestWeight = 0;
  for (const range of acceptLanguage.split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const language = LANGUAGES.find((each) => tag === each || tag.startsWith(`${each}-`));
    const weight = weightOf(parameters);
    if (language === undefined || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('q='));
  return given === undefined ? 1 : Number(given.slice('q='.length)) || 0;
}
