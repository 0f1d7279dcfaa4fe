// Reads a JSON list of TeX formulas from standard input and writes the list of their MathML. KaTeX is Debian's package katex.
const katex = require('katex');
const formulas = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const options = {displayMode: true, output: 'mathml', throwOnError: true, strict: 'error'};
process.stdout.write(JSON.stringify(formulas.map((tex) => {
  try {
    return katex.renderToString(tex, options);
  } catch (error) {
    throw new Error(error.message + '\nin the formula\n' + tex);
  }
})));
