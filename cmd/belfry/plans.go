package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"belfry/internal/config"
	"belfry/internal/core"
)

// loadPlansWithOverrides returns the built-in plans with the changes in the operator's file. A limit that the file
// leaves out does not change; null removes a limit.
func loadPlansWithOverrides(cfg *config.Config) (core.Plans, error) {
	table := core.DefaultPlans()
	if cfg.PlansFile == "" {
		return table, nil
	}
	text, err := os.ReadFile(cfg.PlansFile)
	if err == nil {
		err = overridePlans(table, text)
	}
	if err != nil {
		return nil, fmt.Errorf("read BELFRY_PLANS_FILE %s: %w", cfg.PlansFile, err)
	}
	return table, nil
}

func overridePlans(table core.Plans, text []byte) error {
	given := map[core.PlanName]json.RawMessage{}
	if err := decodeStrict(text, &given); err != nil {
		return err
	}
	for name, figures := range given {
		plan, ok := table[name]
		if !ok {
			return fmt.Errorf("there is no plan %s; the plans are %s", name, table.Names())
		}
		if err := decodeStrict(figures, &plan); err != nil {
			return fmt.Errorf("plan %s: %w", name, err)
		}
		for _, limit := range []*int64{
			plan.Posts, plan.Accounts, plan.Members, plan.Drafts, plan.StorageBytes, plan.FileBytes, plan.HistoryDays,
		} {
			if limit != nil && *limit < 0 {
				return fmt.Errorf("plan %s: a limit is below zero", name)
			}
		}
		table[name] = plan
	}
	return nil
}

// decodeStrict decodes exactly one JSON value into what into points to, which may already have values. An unknown key
// is an error.
func decodeStrict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text after the JSON value")
	}
	return nil
}
