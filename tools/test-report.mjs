import { writeFileSync } from 'node:fs';

/**
 * A vitest reporter that writes the counts tools/run-tests.mjs closes with. A file that does not load, or an error
 * outside every test, counts as a failure of its own: no test would be red otherwise.
 */
// biome-ignore lint/style/noDefaultExport: vitest takes a reporter from a default export.
export default class TestReport {
  onTestRunEnd(files, errorsOutsideTests) {
    const counts = { passed: 0, failed: errorsOutsideTests.length, skipped: 0 };
    for (const file of files) {
      let redTests = 0;
      for (const test of file.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') redTests += 1;
        else counts.skipped += 1;
      }
      counts.failed += redTests === 0 && file.state() === 'failed' ? 1 : redTests;
    }
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(counts));
  }
}
