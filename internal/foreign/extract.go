// SPDX-License-Identifier: ISC

package foreign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A source is one file of the tree, cut up.
type source struct {
	name  string
	items []*item
	owner map[string]*item // by label
}

// An item is a part of a file that is taken as a whole or not at all.
type item struct {
	source   *source
	function string // name, or "" for data and settings
	setting  bool   // holds for what follows in its file: macros, names of registers
	section  string
	body     []statement
	labels   []string
	kept     bool
}

// Sections that items may be in.
const (
	code      = ".text"
	constants = ".rodata"
)

var (
	labelDefinition = regexp.MustCompile(`^([A-Za-z_.$][\w.$]*|\d+)\s*:\s*`)
	word            = regexp.MustCompile(`"[^"]*"|[\w.$\\]+`)
	assignment      = regexp.MustCompile(`^[A-Za-z_.$][\w.$]*\s*=[^=]`)
	alias           = regexp.MustCompile(`^[A-Za-z_][\w]*\s+\.req\s`)
	number          = regexp.MustCompile(`^\d`)
)

// settings are directives that hold for what follows in their file.
var settings = []string{".arch", ".cpu", ".arch_extension", ".intel_syntax", ".att_syntax", ".altmacro",
	".set", ".equ", ".equiv", ".unreq"}

// made are directives that are made anew, or left out.
var made = []string{".globl", ".global", ".type", ".size", ".hidden", ".private_extern", ".extern", ".protected",
	".file", ".ident"}

// A cutter cuts the statements of a file into items.
type cutter struct {
	source    *source
	wanted    []string // functions that the manifest names
	functions map[string]bool
	sized     map[string]bool // functions whose end .size tells
	section   string
	before    string           // the section before, for .previous
	open      map[string]*item // by section
	macro     *item            // a macro that has no end yet
	depth     int              // of macros in macros
}

// cut makes items of the statements of a file.
func cut(name string, statements []statement, wanted []string) (*source, error) {
	c := &cutter{
		source: &source{name: name, owner: map[string]*item{}}, wanted: wanted,
		functions: map[string]bool{}, sized: map[string]bool{}, section: code, before: code, open: map[string]*item{},
	}
	for _, s := range statements {
		op, rest := operation(s.text)
		symbol, kind, _ := strings.Cut(rest, ",")
		symbol = strings.TrimSpace(symbol)
		switch op {
		case ".type":
			if strings.HasSuffix(strings.TrimSpace(kind), "function") {
				c.functions[symbol] = true
			}
		case ".size":
			c.sized[symbol] = true
		}
	}
	for _, w := range wanted {
		c.functions[w] = true
	}
	for _, s := range statements {
		if err := c.statement(s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, s.line, err)
		}
	}
	if c.macro != nil {
		return nil, fmt.Errorf("%s:%d: this .macro has no .endm", name, c.macro.body[0].line)
	}
	return c.source, nil
}

// operation splits a statement into its mnemonic or directive and the rest.
func operation(text string) (op, rest string) {
	op, rest, _ = strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	return op, strings.TrimSpace(rest)
}

// current is the item that statements of the section go to.
func (c *cutter) current() *item {
	i := c.open[c.section]
	if i == nil {
		i = c.begin(&item{section: c.section})
		c.open[c.section] = i
	}
	return i
}

func (c *cutter) begin(i *item) *item {
	i.source = c.source
	c.source.items = append(c.source.items, i)
	return i
}

func (c *cutter) statement(s statement) error {
	for c.macro == nil {
		m := labelDefinition.FindStringSubmatch(s.text)
		if m == nil {
			break
		}
		if err := c.label(m[1], s.line); err != nil {
			return err
		}
		s.text = s.text[len(m[0]):]
		if s.text == "" {
			return nil
		}
	}
	op, rest := operation(s.text)
	switch {
	case c.macro != nil || op == ".macro":
		if c.macro == nil {
			c.macro = c.begin(&item{setting: true})
		}
		c.macro.body = append(c.macro.body, s)
		switch op {
		case ".macro":
			c.depth++
		case ".endm":
			c.depth--
		}
		if c.depth == 0 {
			c.macro = nil
		}
		return nil
	case op == ".endm":
		return fmt.Errorf(".endm without .macro")
	case op == ".size":
		symbol, _, _ := strings.Cut(rest, ",")
		if i := c.open[code]; i != nil && i.function != "" && i.function == strings.TrimSpace(symbol) {
			c.open[code] = nil
		}
		return nil
	case slices.Contains(made, op):
		return nil
	case op == ".text" || op == ".rodata" || op == ".data" || op == ".bss" || op == ".section" || op == ".previous":
		return c.enter(op, rest)
	case op == ".pushsection" || op == ".popsection" || op == ".subsection" || op == ".include" || op == ".incbin":
		return fmt.Errorf("the directive %s is not supported", op)
	case c.inFunction():
	case slices.Contains(settings, op) || assignment.MatchString(s.text) || alias.MatchString(s.text):
		c.begin(&item{setting: true, body: []statement{s}})
		return nil
	}
	i := c.current()
	i.body = append(i.body, s)
	return nil
}

func (c *cutter) inFunction() bool {
	i := c.open[c.section]
	return i != nil && i.function != ""
}

// label does the definition of a label.
func (c *cutter) label(name string, line int) error {
	numeric := number.MatchString(name)
	if !numeric && c.source.owner[name] != nil {
		return fmt.Errorf("the label %s was there before", name)
	}
	i := c.open[c.section]
	inSized := i != nil && i.function != "" && c.sized[i.function]
	if c.section == code && c.functions[name] {
		if inSized && slices.Contains(c.wanted, name) {
			return fmt.Errorf("the function %s begins within %s", name, i.function)
		}
		if !inSized {
			i = c.begin(&item{section: code, function: name})
			c.open[code] = i
		}
	} else {
		i = c.current()
	}
	if !numeric {
		c.source.owner[name] = i
		i.labels = append(i.labels, name)
	}
	i.body = append(i.body, statement{name + ":", line})
	return nil
}

// enter changes the section.
func (c *cutter) enter(op, rest string) error {
	if op == ".previous" {
		c.section, c.before = c.before, c.section
		return nil
	}
	name := op
	if op == ".section" {
		name, _, _ = strings.Cut(rest, ",")
		name = strings.Trim(strings.TrimSpace(name), `"`)
	}
	c.before = c.section
	switch {
	case name == code || strings.HasPrefix(name, code+"."):
		c.section = code
	case name == constants || strings.HasPrefix(name, constants+"."):
		c.section = constants
	default: // nothing of it is taken
		c.section = name
	}
	return nil
}

// extract keeps the functions asked for, with all that they refer to.
func extract(sources []*source, functions []string) error {
	global := map[string]*item{}
	for _, s := range sources {
		for label, i := range s.owner {
			if strings.HasPrefix(label, ".L") {
				continue
			}
			if global[label] != nil {
				return fmt.Errorf("both %s and %s define %s", global[label].source.name, s.name, label)
			}
			global[label] = i
		}
	}
	var queue []*item
	keep := func(i *item) {
		if !i.kept {
			i.kept = true
			queue = append(queue, i)
		}
	}
	for _, f := range functions {
		i := global[f]
		if i == nil {
			return fmt.Errorf("no file defines the function %s", f)
		}
		if i.function != f {
			return fmt.Errorf("%s: %s is no function in the section .text", i.source.name, f)
		}
		keep(i)
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		if !i.setting && i.section != code && i.section != constants {
			return fmt.Errorf("%s:%d: this is needed and lies in the section %s; only .text and .rodata are taken", i.source.name, i.body[0].line, i.section)
		}
		for _, other := range i.source.items {
			if other.setting {
				keep(other)
			}
		}
		aliases := i.source.aliases()
		for _, s := range i.body {
			for _, w := range operands(s.text) {
				if to := i.source.owner[w]; to != nil {
					keep(to)
				} else if to := global[w]; to != nil {
					keep(to)
				} else if !i.setting && !aliases[w] && target(s.text, w) {
					return fmt.Errorf("%s:%d: no file defines %s", i.source.name, s.line, w)
				}
			}
		}
	}
	for _, s := range sources {
		if !slices.ContainsFunc(s.items, func(i *item) bool { return i.kept }) {
			return fmt.Errorf("%s holds nothing that is needed", s.name)
		}
	}
	return nil
}

// aliases are names that the settings of a file give to registers and numbers.
func (s *source) aliases() map[string]bool {
	names := map[string]bool{}
	for _, i := range s.items {
		for _, st := range i.body {
			op, rest := operation(st.text)
			switch {
			case alias.MatchString(st.text):
				names[op] = true
			case op == ".set" || op == ".equ" || op == ".equiv":
				name, _, _ := strings.Cut(rest, ",")
				names[strings.TrimSpace(name)] = true
			case assignment.MatchString(st.text):
				names[word.FindString(st.text)] = true
			}
		}
	}
	return names
}

// operands returns the words of a statement but for its first one, which is a
// mnemonic, a directive or the label that it defines.
func operands(text string) []string {
	_, rest := operation(text)
	return word.FindAllString(relocation.ReplaceAllString(rest, "$1"), -1)
}

var (
	relocation = regexp.MustCompile(`(\w)@[A-Z]+\b`) // how the linker is to reach a symbol

	branch   = regexp.MustCompile(`^(bl?|b\.?[a-z]{2}|cbn?z|tbn?z|adrp?|call|callq|jmp|j[a-z]{1,3})$`)
	register = regexp.MustCompile(`^([xwvqdsbh]\d+|sp|lr|fp|ip[01]|[wx]zr|[re]?[abcd]x|[re]?[sd]i|[re]?[sb]p|r\d+[dwb]?|ptr|[qd]word)$`)
)

// target reports whether w, a word of the statement, can only be a symbol.
func target(text, w string) bool {
	if !goodSymbol.MatchString(strings.TrimLeft(w, ".$")) || register.MatchString(strings.ToLower(w)) {
		return false
	}
	if strings.Contains(text, w+"(%rip)") || strings.Contains(text, ":"+w) {
		return !strings.Contains(text, w+":")
	}
	op, rest := operation(text)
	if !branch.MatchString(op) || strings.ContainsAny(rest, "*%[") {
		return false
	}
	all := operands(text)
	return all[len(all)-1] == w
}
