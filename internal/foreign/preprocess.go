// SPDX-License-Identifier: ISC

package foreign

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A statement is one statement of assembly, without comments.
type statement struct {
	text string
	line int
}

// A preprocessor does what cpp does to assembly, but for #include and macros
// with arguments.
type preprocessor struct {
	file   string
	arch   string
	macros map[string]string
	ignore []string // #include lines to leave out
	conds  []condition
	out    []statement
}

// A condition is an #if that is not ended.
type condition struct {
	line   int
	outer  bool // the lines round it count
	taken  bool // one of its branches counted
	now    bool // the lines here count
	closed bool // #else was there
}

var (
	identifier  = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	defineLine  = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(\(?)\s*(.*)$`)
	includeLine = regexp.MustCompile(`^[<"]([^>"]+)[>"]$`)
)

// preprocess returns the statements of a file that its conditions leave.
func (m *Manifest) preprocess(file, text string) ([]statement, error) {
	p := &preprocessor{file: file, arch: m.Architecture, macros: maps.Clone(m.Defines), ignore: m.Ignore}
	if p.macros == nil {
		p.macros = map[string]string{}
	}
	text, err := p.uncomment(strings.ReplaceAll(text, "\r\n", "\n"))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	for n := 0; n < len(lines); n++ {
		first, line := n+1, lines[n]
		for strings.HasSuffix(line, `\`) && n+1 < len(lines) {
			n++
			line = strings.TrimSuffix(line, `\`) + " " + lines[n]
		}
		if err := p.line(first, strings.TrimSpace(line)); err != nil {
			return nil, err
		}
	}
	if len(p.conds) > 0 {
		return nil, p.errorf(p.conds[len(p.conds)-1].line, "this condition has no #endif")
	}
	return p.out, nil
}

func (p *preprocessor) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...))
}

// uncomment puts spaces in the place of comments, and keeps the ends of lines.
func (p *preprocessor) uncomment(s string) (string, error) {
	var w strings.Builder
	line := 1
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "//"):
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				return w.String(), nil
			}
			i += n - 1
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return "", p.errorf(line, "this comment has no end")
			}
			ends := strings.Count(s[i:i+2+n], "\n")
			w.WriteString(" " + strings.Repeat("\n", ends))
			line += ends
			i += n + 3
		case s[i] == '"':
			n := strings.IndexAny(s[i+1:], "\"\n")
			if n < 0 || s[i+1+n] == '\n' {
				return "", p.errorf(line, "this string has no end")
			}
			w.WriteString(s[i : i+n+2])
			i += n + 1
		default:
			if s[i] == '\n' {
				line++
			}
			w.WriteByte(s[i])
		}
	}
	return w.String(), nil
}

// active reports whether lines count.
func (p *preprocessor) active() bool {
	return len(p.conds) == 0 || p.conds[len(p.conds)-1].now
}

// line does one line.
func (p *preprocessor) line(n int, text string) error {
	if rest, ok := strings.CutPrefix(text, "#"); ok {
		known, err := p.directive(n, strings.TrimSpace(rest))
		if err != nil || known {
			return err
		}
		return nil // a comment
	}
	if !p.active() {
		return nil
	}
	text = p.expand(text, nil)
	if p.arch == "amd64" {
		text, _, _ = strings.Cut(text, "#")
	}
	for _, s := range splitStatements(text) {
		p.out = append(p.out, statement{s, n})
	}
	return nil
}

// splitStatements splits at semicolons outside of strings.
func splitStatements(text string) (out []string) {
	quoted, begin := false, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ';' && !quoted:
			if s := strings.TrimSpace(text[begin:i]); s != "" {
				out = append(out, s)
			}
			begin = i + 1
		case text[i] == '"':
			quoted = !quoted
		}
	}
	return out
}

// expand puts the text of macros in the place of their names, but for those
// that are being expanded.
func (p *preprocessor) expand(text string, within []string) string {
	return identifier.ReplaceAllStringFunc(text, func(name string) string {
		body, ok := p.macros[name]
		if !ok || slices.Contains(within, name) {
			return name
		}
		return p.expand(body, append(slices.Clone(within), name))
	})
}

// directive does a line that begins with #. What cpp does not know is a comment.
func (p *preprocessor) directive(n int, text string) (known bool, err error) {
	word := identifier.FindString(text)
	if !strings.HasPrefix(text, word) {
		return false, nil
	}
	rest := strings.TrimSpace(text[len(word):])
	switch word {
	case "if", "ifdef", "ifndef":
		c := condition{line: n, outer: p.active()}
		if c.outer {
			c.now, err = p.decide(n, word, rest)
			c.taken = c.now
		}
		p.conds = append(p.conds, c)
		return true, err
	case "elif", "else", "endif":
		if len(p.conds) == 0 {
			return true, p.errorf(n, "#%s without #if", word)
		}
		c := &p.conds[len(p.conds)-1]
		switch {
		case word == "endif":
			p.conds = p.conds[:len(p.conds)-1]
		case c.closed:
			return true, p.errorf(n, "#%s after #else", word)
		case word == "else":
			c.now, c.closed = c.outer && !c.taken, true
		default:
			now := c.outer && !c.taken
			if now {
				now, err = p.decide(n, "if", rest)
			}
			c.now, c.taken = now, c.taken || now
		}
		return true, err
	}
	if !p.active() {
		return true, nil
	}
	switch word {
	case "define":
		d := defineLine.FindStringSubmatch(rest)
		if d == nil {
			return true, p.errorf(n, "#define %s cannot be read", rest)
		}
		if d[2] != "" {
			return true, p.errorf(n, "the macro %s takes arguments, which is not supported", d[1])
		}
		p.macros[d[1]] = d[3]
	case "undef":
		delete(p.macros, rest)
	case "include":
		name := rest
		if m := includeLine.FindStringSubmatch(rest); m != nil {
			name = m[1]
		}
		if !slices.Contains(p.ignore, name) {
			return true, p.errorf(n, "#include %s is not among those to ignore; what it defines belongs to defines", rest)
		}
	case "error":
		return true, p.errorf(n, "#error %s", rest)
	default:
		return false, nil
	}
	return true, nil
}

// decide evaluates a condition.
func (p *preprocessor) decide(n int, word, rest string) (bool, error) {
	if word != "if" {
		if !goodSymbol.MatchString(rest) {
			return false, p.errorf(n, "#%s %s is no name of a macro", word, rest)
		}
		_, defined := p.macros[rest]
		return defined == (word == "ifdef"), nil
	}
	v, err := p.evaluate(rest)
	if err != nil {
		return false, p.errorf(n, "#if %s: %v", rest, err)
	}
	return v != 0, nil
}
