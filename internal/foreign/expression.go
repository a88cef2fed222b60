// SPDX-License-Identifier: ISC

package foreign

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	definedOperator = regexp.MustCompile(`\bdefined\s*(?:\(\s*([A-Za-z_]\w*)\s*\)|([A-Za-z_]\w*))`)
	tokens          = regexp.MustCompile(`^\s*(&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%<>!~&|^()]|0[xX][0-9a-fA-F]+|[0-9]+|[A-Za-z_]\w*)([uUlL]*)`)
)

// precedence of operators with two operands, as in C.
var precedence = map[string]int{
	"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7,
	"==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}

// evaluate returns the value of the expression behind #if.
func (p *preprocessor) evaluate(text string) (int64, error) {
	text = definedOperator.ReplaceAllStringFunc(text, func(s string) string {
		m := definedOperator.FindStringSubmatch(s)
		if _, ok := p.macros[m[1]+m[2]]; ok {
			return " 1 "
		}
		return " 0 "
	})
	text = strings.TrimSpace(p.expand(text, nil))
	e := &expression{}
	for text != "" {
		m := tokens.FindStringSubmatch(text)
		if m == nil {
			return 0, fmt.Errorf("cannot read %q", text)
		}
		e.tokens = append(e.tokens, m[1])
		text = strings.TrimSpace(text[len(m[0]):])
	}
	v, err := e.binary(1)
	if err == nil && len(e.tokens) > 0 {
		err = fmt.Errorf("cannot read %q", strings.Join(e.tokens, " "))
	}
	return v, err
}

// An expression is what is left to read of one.
type expression struct{ tokens []string }

func (e *expression) next() (t string) {
	if len(e.tokens) > 0 {
		t, e.tokens = e.tokens[0], e.tokens[1:]
	}
	return t
}

// binary reads operators that bind at least as tightly as level.
func (e *expression) binary(level int) (int64, error) {
	a, err := e.unary()
	for err == nil && len(e.tokens) > 0 && precedence[e.tokens[0]] >= level {
		var b int64
		op := e.next()
		if b, err = e.binary(precedence[op] + 1); err == nil {
			a, err = apply(op, a, b)
		}
	}
	return a, err
}

func (e *expression) unary() (int64, error) {
	switch t := e.next(); {
	case t == "":
		return 0, errors.New("it ends too early")
	case t == "!" || t == "-" || t == "+" || t == "~":
		v, err := e.unary()
		return map[string]int64{"!": truth(v == 0), "-": -v, "+": v, "~": ^v}[t], err
	case t == "(":
		v, err := e.binary(1)
		if err == nil && e.next() != ")" {
			err = errors.New("a parenthesis is not closed")
		}
		return v, err
	case t[0] >= '0' && t[0] <= '9':
		return strconv.ParseInt(t, 0, 64)
	case goodSymbol.MatchString(t):
		if len(e.tokens) > 0 && e.tokens[0] == "(" {
			return 0, fmt.Errorf("%s takes arguments, which is not supported", t)
		}
		return 0, nil // not defined
	default:
		return 0, fmt.Errorf("cannot read %q", t)
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// apply computes a op b.
func apply(op string, a, b int64) (int64, error) {
	switch op {
	case "*":
		return a * b, nil
	case "/", "%":
		if b == 0 {
			return 0, errors.New("a division by zero")
		}
		if op == "/" {
			return a / b, nil
		}
		return a % b, nil
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "<<":
		return a << (b & 63), nil
	case ">>":
		return a >> (b & 63), nil
	case "<":
		return truth(a < b), nil
	case "<=":
		return truth(a <= b), nil
	case ">":
		return truth(a > b), nil
	case ">=":
		return truth(a >= b), nil
	case "==":
		return truth(a == b), nil
	case "!=":
		return truth(a != b), nil
	case "&":
		return a & b, nil
	case "^":
		return a ^ b, nil
	case "|":
		return a | b, nil
	case "&&":
		return truth(a != 0 && b != 0), nil
	default:
		return truth(a != 0 || b != 0), nil
	}
}
