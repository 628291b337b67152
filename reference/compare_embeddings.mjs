// Runs the models on prepared inputs with ONNX Runtime, Hugging Face's feature extractor and its tokenizer.
//
// usage: node compare_embeddings.mjs PACKAGES SETTINGS OUT
//
// PACKAGES is a folder with node_modules, SETTINGS a JSON file from compare_embeddings.py. Writes float32 numbers.
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';

const [packages, settingsFile, out] = process.argv.slice(2);
const load = createRequire(path.resolve(packages, 'package.json'));
const ort = load('onnxruntime-node');
const settings = JSON.parse(fs.readFileSync(settingsFile, 'utf8'));

function numbers() {
    const bytes = fs.readFileSync(settings.input);
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

async function images(session) {
    const all = numbers(), count = settings.shape.reduce((a, b) => a * b), rows = [];
    for (let at = 0; at < all.length; at += count) {
        const image = new ort.Tensor('float32', all.slice(at, at + count), settings.shape);
        rows.push((await session.run({image})).features.data);
    }
    return rows;
}

// The encoder for shorter windows: only the first rows of its table of positions. Read and written with protobufjs.
function withPositions(file) {
    const {onnx} = load('onnx-proto');
    const model = onnx.ModelProto.decode(fs.readFileSync(file));
    model.graph.valueInfo = [];  // shapes of the longer window
    const table = model.graph.initializer.find(tensor => tensor.name === settings.positions.table);
    table.dims[0] = settings.positions.rows;
    table.rawData = table.rawData.slice(0, settings.positions.rows * Number(table.dims[1]) * 4);
    return onnx.ModelProto.encode(model).finish();
}

async function sounds(session) {
    const {WhisperFeatureExtractor} = load('@huggingface/transformers');
    const extract = new WhisperFeatureExtractor(settings.extractor);
    const all = numbers(), rows = [];
    let at = 0;
    for (const length of settings.lengths) {
        const mel = (await extract(all.slice(at, at + length))).input_features;
        const input_features = new ort.Tensor('float32', mel.data, mel.dims);
        const answer = await session.run({input_features}, ['last_hidden_state'], {logSeverityLevel: 3});
        rows.push(answer.last_hidden_state.data);
        at += length;
    }
    return rows;
}

async function texts(session) {
    const {PreTrainedTokenizer, Tensor, mean_pooling} = load('@huggingface/transformers');
    const tokenize = new PreTrainedTokenizer(JSON.parse(fs.readFileSync(settings.tokenizer, 'utf8')), {});
    const rows = [];
    for (const text of settings.texts) {
        // Truncation by this package drops [SEP]; that by its original in Python keeps it.
        let ids = tokenize(text, {return_tensor: false}).input_ids;
        if (ids.length > settings.tokens) ids = [...ids.slice(0, settings.tokens - 1), ids.at(-1)];
        const filled = values => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length]);
        const attention_mask = filled(ids.map(() => 1));
        const token_type_ids = filled(ids.map(() => 0));
        const hidden = (await session.run({input_ids: filled(ids), attention_mask, token_type_ids})).last_hidden_state;
        const mask = new Tensor('int64', attention_mask.data, attention_mask.dims);
        const pooled = mean_pooling(new Tensor('float32', hidden.data, hidden.dims), mask);
        rows.push(pooled.normalize(2, -1).data);
    }
    return rows;
}

const model = settings.positions ? withPositions(settings.model) : settings.model;
const session = await ort.InferenceSession.create(model, {intraOpNumThreads: 2, logSeverityLevel: 3});
const rows = await {image: images, sound: sounds, text: texts}[settings.kind](session);
const file = fs.openSync(out, 'w');
for (const row of rows) fs.writeSync(file, new Uint8Array(row.buffer, row.byteOffset, row.byteLength));
fs.closeSync(file);
