// SPDX-License-Identifier: ISC

package prove

import (
	"fmt"
	"sort"
	"sync"

	"github.com/stitchgcm/gcm/internal/ir"
)

// cuts records between which labels the cases of a program run. Together they
// prove it only if some case begins wherever one ends.
type cuts struct {
	mu       sync.Mutex
	from, to map[string]bool
}

// running holds the cuts of the programs that are being proved.
var running sync.Map // *ir.Program to *cuts

// note records that a case ran from one label to another; "" is the entry or
// the return.
func note(p *ir.Program, from, to string) {
	c, ok := running.Load(p)
	if !ok {
		return
	}
	k := c.(*cuts)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.from[from], k.to[to] = true, true
}

// joined checks that the cases lead from the entry to the return without a gap.
func (c *cuts) joined() error {
	if !c.from[""] {
		return fmt.Errorf("no case begins at the entry")
	}
	if !c.to[""] {
		return fmt.Errorf("no case reaches the return")
	}
	var open []string
	for label := range c.to {
		if label != "" && !c.from[label] {
			open = append(open, label)
		}
	}
	if len(open) > 0 {
		sort.Strings(open)
		return fmt.Errorf("cases end at %v, where none begins", open)
	}
	return nil
}
